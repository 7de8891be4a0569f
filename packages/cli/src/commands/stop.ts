import { command } from '../command.ts'
import { runServer } from '../load-server.ts'

export const stop = command({
  path: ['stop'],
  summary: 'stop the service that uses a data folder',
  flags: {
    data: {
      type: 'string',
      value: 'DIR',
      summary: 'the data folder; default: DATA_DIR, ./.touchstone',
    },
  },
  args: {},
  async run({ flags }) {
    await runServer(['stop', ...(flags.data === undefined ? [] : ['--data', flags.data])])
    return 0
  },
})
