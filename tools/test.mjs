// npm test: the checks, then every test there is; ends with one line of totals.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { assertNode, ensureBuilt, ensureInstalled, ROOT } from './setup.mjs'
import { cargoStep, finish, staticSteps, vitestStep } from './steps.mjs'

const POSTGRES_14 = 'postgres-14-linux-x64'

assertNode()
ensureInstalled()
ensureBuilt()
const steps = [
  ...staticSteps(),
  vitestStep('fast suite', ['--project', 'fast']),
  vitestStep('proofs and attacks', ['--project', 'proofs']),
  vitestStep('slow suite', ['--project', 'slow']),
]
const second = cargoStep('second verifier of proofs', 'packages/prover/verifier-rs')
if (second !== undefined) steps.push(second)
else process.stdout.write('There is no cargo: the second verifier of proofs does not run.\n')
if (existsSync(join(ROOT, 'node_modules', POSTGRES_14))) {
  const suites = ['packages/server/src/areas', 'packages/server/src/kernel', 'test/http']
  // With a single connection on top, which nothing may need a second one beside.
  const env = { TEST_POSTGRES_PACKAGE: POSTGRES_14, TEST_POOL_MAX: '1' }
  steps.push(vitestStep('store suite on PostgreSQL 14', ['--project', 'fast', ...suites], env))
} else {
  process.stdout.write(
    'PostgreSQL 14 is not packaged for this platform: that suite does not run.\n',
  )
}
finish(steps)
