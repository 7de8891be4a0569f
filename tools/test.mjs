// npm test: the checks and, beside them, the tests; ends with one line of totals. With -- --times FILE
// it also writes there what took how long.
import { parseArgs } from 'node:util'
import { assertNode, ensureBuilt, ensureInstalled } from './setup.mjs'
import { builtStep, finish, staticSteps, timed, vitestStep } from './steps.mjs'

const { values } = parseArgs({ options: { times: { type: 'string' } } })
assertNode()
const before = [timed('install', ensureInstalled), timed('build', ensureBuilt)]
await finish(
  [
    [builtStep(), ...staticSteps()],
    [vitestStep('tests', ['--project', 'fast', '--project', 'whole'])],
  ],
  { before, times: values.times },
)
