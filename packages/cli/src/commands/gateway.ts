import { command } from '../command.ts'
import { runServer } from '../load-server.ts'

export const gateway = command({
  path: ['gateway'],
  summary: 'run the model gateway alone, near the agents, on the database of a service',
  flags: {},
  args: {},
  passThrough: true,
  async run({ rest }) {
    await runServer(['gateway', ...rest])
    return 0
  },
})
