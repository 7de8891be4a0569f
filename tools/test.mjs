// npm test: the checks and, beside them, the tests; ends with one line of totals.
import { assertNode, ensureBuilt, ensureInstalled } from './setup.mjs'
import { builtStep, finish, staticSteps, vitestStep } from './steps.mjs'

assertNode()
ensureInstalled()
ensureBuilt()
await finish(
  [builtStep(), ...staticSteps()],
  [vitestStep('tests', ['--project', 'fast', '--project', 'whole'])],
)
