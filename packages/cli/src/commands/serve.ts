import { command } from '../command.ts'
import { runServer } from '../load-server.ts'

export const serve = command({
  path: ['serve'],
  summary: 'run the service; --help lists its settings',
  flags: {
    role: {
      type: 'string',
      choices: ['api', 'worker', 'all'],
      summary: 'answer requests, do background work, or both',
    },
    empty: { type: 'boolean', summary: 'no demo data' },
  },
  args: {},
  handsOver: true,
  async run({ rest }) {
    await runServer(['serve', ...rest])
    return 0
  },
})
