// npm start: whatever is missing is installed and built, then the service runs in this process.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { assertNode, ensureBuilt, ensureInstalled, ROOT } from './setup.mjs'

assertNode()
ensureInstalled()
ensureBuilt()
stopWithParent()
const entry = pathToFileURL(join(ROOT, 'packages', 'server', 'dist', 'main.js'))
const { main } = await import(entry.href)
await main(['serve', ...process.argv.slice(2)])

/** npm and its shell can end without passing the signal on; an orphan is told to stop, too. */
function stopWithParent() {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  watch.unref()
}
