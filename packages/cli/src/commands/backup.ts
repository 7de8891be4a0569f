import { command } from '../command.ts'
import { runServer } from '../load-server.ts'

export const backup = command({
  path: ['backup'],
  summary: 'back up all data of this installation to one file',
  flags: {},
  args: { file: { summary: 'the file to write' } },
  passThrough: true,
  async run({ rest }) {
    await runServer(['backup', ...rest])
    return 0
  },
})
