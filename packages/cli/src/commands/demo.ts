import { command } from '../command.ts'
import { runServer } from '../load-server.ts'

export const demo = command({
  path: ['demo'],
  summary: 'run the service with made-up agents, in ./.touchstone-demo',
  flags: {},
  args: {},
  handsOver: true,
  async run({ rest }) {
    await runServer(['demo', ...rest])
    return 0
  },
})
