import { command } from '../command.ts'
import { runServer } from '../load-server.ts'

export const databaseMigrate = command({
  path: ['db', 'migrate'],
  summary: 'prepare the database for this version, without serving',
  flags: {},
  args: {},
  passThrough: true,
  async run({ rest }) {
    await runServer(['db', 'migrate', ...rest])
    return 0
  },
})
