import { command } from '../command.ts'
import { runServer } from '../load-server.ts'

export const restore = command({
  path: ['restore'],
  summary: 'load a backup into an empty installation',
  flags: {},
  args: { file: { summary: 'the backup file' } },
  passThrough: true,
  async run({ rest }) {
    await runServer(['restore', ...rest])
    return 0
  },
})
