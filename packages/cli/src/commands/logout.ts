import { command } from '../command.ts'
import { removeLogin } from '../login-file.ts'

export const logout = command({
  path: ['logout'],
  summary: 'delete the saved login; the API key stays valid until it is revoked',
  flags: {},
  args: {},
  async run({ io }) {
    const existed = await removeLogin(io.env.configFile)
    io.result({ removed: existed }, () => (existed ? 'Logged out.' : 'Not logged in.'))
    return 0
  },
})
