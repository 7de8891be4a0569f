// npm run test:full: all that npm test leaves out or tries only some of. With -- --repeat 5 it does
// so five times, to find tests that fail now and then.
import { parseArgs } from 'node:util'
import { assertNode, ensureBuilt, ensureInstalled } from './setup.mjs'
import { cargoStep, finish, vitestStep } from './steps.mjs'

const { values } = parseArgs({ options: { repeat: { type: 'string', default: '1' } } })
const repeat = Number(values.repeat)
if (!Number.isInteger(repeat) || repeat < 1) {
  process.stderr.write('--repeat must be a whole number from 1 on.\n')
  process.exit(1)
}
assertNode()
ensureInstalled()
ensureBuilt()
const steps = Array.from({ length: repeat }, (_, n) =>
  vitestStep(repeat === 1 ? 'full suite' : `full suite, run ${n + 1}`, ['--project', 'full']),
)
const second = cargoStep('second verifier of proofs', 'packages/prover/verifier-rs')
if (second !== undefined) steps.unshift(second)
else process.stdout.write('There is no cargo: the second verifier of proofs does not run.\n')
await finish([steps])
