// What check and test are made of. Each step prints its own output and returns what it counted.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, run, runBin } from './setup.mjs'

/** In a fresh clone: what `npm start` builds is all that the guide calls. */
export function builtStep() {
  const program = 'packages/cli/bin/touchstone.mjs'
  return step('command line', () => run(process.execPath, [program, 'help', 'policy', 'impact']))
}

/** Format and lint, types, directions between modules, dead code. */
export function staticSteps() {
  return [
    step('format and lint', () => runBin('@biomejs/biome', ['ci', '--error-on-warnings', '.'])),
    step('types', () => runBin('typescript', ['-b'])),
    step('directions', () => run(process.execPath, ['tools/dist/check-directions.js'])),
    step('contracts', () => run(process.execPath, ['tools/dist/compile-contracts.js', '--check'])),
    step('sdk types', () => run(process.execPath, ['tools/dist/write-sdk-types.js', '--check'])),
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
        const result = JSON.parse(readFileSync(report, 'utf8'))
        const failed = result.numFailedTests
        return {
          passed: result.numPassedTests,
          // A suite that could not even be loaded counts as a failure of its own.
          failed: status === 0 ? failed : Math.max(failed, 1),
          reasons: result.testResults.flatMap(reasonsOf),
        }
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    },
  }
}

/**
 * The second verifier of proofs, in Rust. Undefined where there is no cargo, which REQUIRE_CARGO=1
 * does not allow.
 */
export function cargoStep(name, dir) {
  const there = spawnSync('cargo', ['--version']).status === 0
  if (!there && process.env.REQUIRE_CARGO !== '1') return undefined
  const args = ['test', '--release', '--offline', '--locked']
  return {
    name,
    work: () => {
      const cwd = join(ROOT, dir)
      const { status, stdout } = spawnSync('cargo', args, {
        cwd,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      process.stdout.write(stdout ?? '')
      const results = [...String(stdout).matchAll(/^test result: \S+ (\d+) passed; (\d+) failed/gm)]
      const total = (group) => results.reduce((sum, result) => sum + Number(result[group]), 0)
      const [passed, failed] = [total(1), total(2)]
      // A suite that did not run at all has not passed.
      return { passed, failed: status === 0 && passed > 0 ? failed : Math.max(failed, 1) }
    },
  }
}

/** What failed in one file and why, so that the end of a long log tells it. */
function reasonsOf({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (failed.length === 0) return status === 'failed' ? [`${name}\n${message}`] : []
  return failed.map((test) => `${name}: ${test.fullName}\n${test.failureMessages.join('\n')}`)
}

/** Runs every step, whatever the earlier ones gave, and closes with what failed and the totals. */
export function finish(steps) {
  const total = { passed: 0, failed: 0 }
  const failures = []
  for (const { name, work } of steps) {
    process.stdout.write(`\n▶ ${name}\n`)
    const { passed, failed, reasons = [] } = outcome(work)
    total.passed += passed
    total.failed += failed
    if (failed > 0) failures.push([`Failed: ${name}`, ...reasons].join('\n'))
  }
  for (const failure of failures) process.stdout.write(`\n${failure}\n`)
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
