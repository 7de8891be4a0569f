// npm run soak: several nodes on one database under load, while one fault after another is caused; then
// every acknowledged write is looked up and verified. Builds first.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { assertNode, ensureBuilt, ensureInstalled, ROOT, runBin } from './setup.mjs'

/** A run of this length is one whose figures the guide quotes. */
const FULL_MINUTES = 60

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: String(FULL_MINUTES) },
    nodes: { type: 'string', default: '5' },
    rate: { type: 'string', default: '30' },
    fault: { type: 'string', multiple: true },
    report: { type: 'string' },
  },
})
const isAtLeast = (text, least) => Number.isFinite(Number(text)) && Number(text) >= least
if (!isAtLeast(values.minutes, 0.1) || !isAtLeast(values.nodes, 2) || !isAtLeast(values.rate, 1)) {
  process.stderr.write(
    'usage: npm run soak -- [--minutes 60] [--nodes 5] [--rate 30] [--fault kill …] [--report FILE]\n',
  )
  process.exit(1)
}
assertNode()
ensureInstalled()
ensureBuilt()
const isFull = Number(values.minutes) >= FULL_MINUTES && values.fault === undefined
const report = values.report ?? (isFull ? resolve(ROOT, 'bench/results/soak.json') : undefined)
Object.assign(process.env, {
  SOAK_MINUTES: values.minutes,
  SOAK_NODES: values.nodes,
  SOAK_RATE: values.rate,
  ...(values.fault === undefined ? {} : { SOAK_FAULTS: values.fault.join(',') }),
  ...(report === undefined ? {} : { SOAK_REPORT: resolve(report) }),
})
process.exit(runBin('vitest', ['run', '--project', 'full', 'test/soak/soak.test.ts']))
