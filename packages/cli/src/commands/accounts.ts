import { command } from '../command.ts'
import { runServer } from '../load-server.ts'

export const accountsResetSecondFactor = command({
  path: ['accounts', 'reset-second-factor'],
  summary: 'let a person who lost app and recovery codes sign in with the password',
  flags: {},
  args: { email: { summary: 'e-mail address of the account' } },
  passThrough: true,
  async run({ rest }) {
    await runServer(['accounts', 'reset-second-factor', ...rest])
    return 0
  },
})
