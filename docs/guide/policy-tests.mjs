// node policy-tests.mjs policy-tests.yaml ...
//
// Runs policy test files. Needs the packages @touchstone/protocol and yaml, but no service and no
// network. Exits with 1 if a test fails and with 2 if a file cannot be read.
import { readFileSync } from 'node:fs'
import { runPolicyTests } from '@touchstone/protocol/policy'
import { parse } from 'yaml'

const paths = process.argv.slice(2)
if (paths.length === 0) {
  console.error('usage: node policy-tests.mjs policy-tests.yaml ...')
  process.exit(2)
}

let passed = 0
let failed = 0
for (const path of paths) {
  const run = runFile(path)
  for (const result of run.results) {
    console.log(`${result.passed ? 'ok' : 'FAIL'}  ${path}: ${result.name}`)
    for (const difference of result.differences) console.log(`      ${difference}`)
  }
  passed += run.passed
  failed += run.failed
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)

function runFile(path) {
  const run = runPolicyTests(parsed(path))
  if (run.valid) return run
  for (const { path: at, message } of run.errors) console.error(`${path}#${at}: ${message}`)
  return process.exit(2)
}

function parsed(path) {
  try {
    return parse(readFileSync(path, 'utf8'))
  } catch (err) {
    console.error(`${path}: ${err.message}`)
    return process.exit(2)
  }
}
