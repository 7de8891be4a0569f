// npm test: runs the static checks and the tests in parallel and ends with one line of totals. Writes
// the duration of each step and file to FILE with `-- --times FILE`.
import { parseArgs } from 'node:util'
import { assertNode, ensureBuilt, ensureInstalled } from './setup.mjs'
import { builtStep, finish, pythonSteps, staticSteps, timed, vitestStep } from './steps.mjs'

const { values } = parseArgs({ options: { times: { type: 'string' } } })
assertNode()
const before = [timed('install', ensureInstalled), timed('build', ensureBuilt)]
await finish(
  [
    [builtStep(), ...staticSteps(), ...pythonSteps()],
    [vitestStep('tests', ['--project', 'fast', '--project', 'whole'])],
  ],
  { before, times: values.times },
)
