// npm run bench -- <name>: builds everything, runs one benchmark and prints its table.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { assertNode, ensureBuilt, ensureInstalled, ROOT, run, runBin } from './setup.mjs'

const [name] = process.argv.slice(2)
const names = readdirSync(join(ROOT, 'bench'))
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length))
if (!names.includes(name ?? '')) {
  process.stderr.write(`usage: npm run bench -- <name>, one of: ${names.join(', ')}\n`)
  process.exit(1)
}
assertNode()
ensureInstalled()
ensureBuilt()
if (runBin('typescript', ['-b', 'bench']) !== 0) process.exit(1)
const entry = join(ROOT, 'bench', 'dist', `${name}.bench.js`)
process.exit(existsSync(entry) ? run(process.execPath, [entry]) : 1)
