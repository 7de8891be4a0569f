// npm start: installs and builds what is missing, then runs the service in this process.
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

/** Stops if the parent exits: npm and its shell can end without forwarding the signal. */
function stopWithParent() {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  watch.unref()
}
