import { command } from '../command.ts'
import { removeLogin } from '../config-file.ts'

export const logout = command({
  path: ['logout'],
  summary: 'forget what login saved; the API key stays good until it is deleted',
  flags: {},
  args: {},
  async run({ io }) {
    const wasThere = await removeLogin(io.env.configFile)
    io.result({ removed: wasThere }, () => (wasThere ? 'Logged out.' : 'There was no login.'))
    return 0
  },
})
