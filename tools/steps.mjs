// What check and test are made of. Each step prints its own output and returns what it counted.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, runBin } from './setup.mjs'

/** Format and lint, types, directions between modules, dead code. */
export function staticSteps() {
  return [
    step('format and lint', () => runBin('@biomejs/biome', ['ci', '--error-on-warnings', '.'])),
    step('types', () => runBin('typescript', ['-b'])),
    step('directions', () => run(process.execPath, ['tools/dist/check-directions.js'])),
    step('dead code', () => runBin('knip', ['--no-progress'])),
  ]
}

function step(name, work) {
  return { name, work: () => (work() === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }) }
}

export function vitestStep(name, args, env = {}) {
  return {
    name,
    work: () => {
      const dir = mkdtempSync(join(tmpdir(), 'touchstone-report-'))
      const report = join(dir, 'report.json')
      try {
        const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
        const status = runBin('vitest', ['run', ...reporters, ...args], env)
        const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(
          readFileSync(report, 'utf8'),
        )
        // A suite that could not even be loaded counts as a failure of its own.
        return { passed, failed: status === 0 ? failed : Math.max(failed, 1) }
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    },
  }
}

/** Runs every step, whatever the earlier ones gave, and closes with the totals. */
export function finish(steps) {
  const total = { passed: 0, failed: 0 }
  const failedSteps = []
  for (const { name, work } of steps) {
    process.stdout.write(`\n▶ ${name}\n`)
    const { passed, failed } = outcome(work)
    total.passed += passed
    total.failed += failed
    if (failed > 0) failedSteps.push(name)
  }
  if (failedSteps.length > 0) process.stdout.write(`\nFailed: ${failedSteps.join(', ')}\n`)
  process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`)
  process.exit(total.failed === 0 ? 0 : 1)
}

function outcome(work) {
  try {
    return work()
  } catch (err) {
    process.stderr.write(`${err instanceof Error ? err.stack : err}\n`)
    return { passed: 0, failed: 1 }
  }
}
