import { command } from '../command.ts'
import { runServer } from '../load-server.ts'

export const demo = command({
  path: ['demo'],
  summary: 'run the service with demo data, in ./.touchstone-demo',
  flags: {},
  args: {},
  passThrough: true,
  async run({ rest }) {
    await runServer(['demo', ...rest])
    return 0
  },
})
