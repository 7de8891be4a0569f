import { command } from '../command.ts'
import { runServer } from '../load-server.ts'

export const serve = command({
  path: ['serve'],
  summary: 'run the service; --help lists its settings',
  flags: {
    role: {
      type: 'string',
      choices: ['api', 'worker', 'all'],
      summary: 'serve requests (api), run background jobs (worker), or both (all)',
    },
    empty: { type: 'boolean', summary: 'start without demo data' },
    data: {
      type: 'string',
      value: 'DIR',
      summary: 'the data folder; default: DATA_DIR, ./.touchstone',
    },
    port: { type: 'string', value: 'PORT', summary: 'the port; default: PORT, 8787' },
  },
  args: {},
  passThrough: true,
  async run({ rest }) {
    await runServer(['serve', ...rest])
    return 0
  },
})
