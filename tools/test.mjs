// npm test: the checks, then every test there is; ends with one line of totals.
import { assertNode, ensureBuilt, ensureInstalled } from './setup.mjs'
import { builtStep, cargoStep, finish, staticSteps, vitestStep } from './steps.mjs'

assertNode()
ensureInstalled()
ensureBuilt()
const steps = [
  builtStep(),
  ...staticSteps(),
  vitestStep('fast suite', ['--project', 'fast']),
  vitestStep('proofs and attacks', ['--project', 'proofs']),
  vitestStep('slow suite', ['--project', 'slow']),
]
const second = cargoStep('second verifier of proofs', 'packages/prover/verifier-rs')
if (second !== undefined) steps.push(second)
else process.stdout.write('There is no cargo: the second verifier of proofs does not run.\n')
finish(steps)
