// npm start: whatever is missing is installed and built, then the service runs in this process.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { assertNode, ensureBuilt, ensureInstalled, ROOT } from './setup.mjs'

assertNode()
ensureInstalled()
ensureBuilt()
const entry = pathToFileURL(join(ROOT, 'packages', 'server', 'dist', 'main.js'))
const { main } = await import(entry.href)
await main(['serve', ...process.argv.slice(2)])
