// npm run test:full: the tests that npm test omits, and full counts of those that it shortens. Runs
// five times with `-- --repeat 5`, to find flaky tests.
import { parseArgs } from 'node:util'
import { assertNode, ensureBuilt, ensureInstalled } from './setup.mjs'
import { cargoStep, finish, installedSteps, pythonSteps, vitestStep } from './steps.mjs'

const { values } = parseArgs({ options: { repeat: { type: 'string', default: '1' } } })
const repeat = Number(values.repeat)
if (!Number.isInteger(repeat) || repeat < 1) {
  process.stderr.write('--repeat must be a whole number of at least 1.\n')
  process.exit(1)
}
assertNode()
ensureInstalled()
ensureBuilt()
const steps = Array.from({ length: repeat }, (_, n) =>
  vitestStep(repeat === 1 ? 'full suite' : `full suite, run ${n + 1}`, ['--project', 'full*']),
)
const rustVerifier = cargoStep(
  'Rust verifier of proofs and receipts',
  'packages/prover/verifier-rs',
)
if (rustVerifier !== undefined) steps.unshift(rustVerifier)
else process.stdout.write('cargo is not installed: skipping the Rust verifier.\n')
steps.push(...installedSteps(), ...pythonSteps({ FULL: '1' }))
await finish([steps])
