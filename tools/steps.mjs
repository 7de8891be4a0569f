// The steps of npm run check, npm test and npm run test:full. Each counts passes and failures.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { performance } from 'node:perf_hooks'
import { usePython } from './python.mjs'
import { binPath, ROOT } from './setup.mjs'

const SLOWEST_FILES = 20

/** Runs the command line right after the build, which is all that the guide relies on. */
export function builtStep() {
  return step('command line', ['packages/cli/bin/touchstone.mjs', 'help', 'policy', 'impact'])
}

/** The static checks. Those after `types` run code that it compiles. */
export function staticSteps() {
  return [
    step('format and lint', [binPath('@biomejs/biome'), 'ci', '--error-on-warnings', '.']),
    step('types', [binPath('typescript'), '-b']),
    step('import rules', ['tools/dist/check-directions.js']),
    step('words', ['tools/dist/check-words.js']),
    step('contracts', ['tools/dist/compile-contracts.js', '--check']),
    step('sdk types', ['tools/dist/write-sdk-types.js', '--check']),
    step('python types', ['tools/dist/write-python-types.js', '--check']),
    step('dead code', [binPath('knip'), '--no-progress']),
  ]
}

/** Runs a script. Collects its output, because other steps may run in parallel. */
function step(name, args) {
  return {
    name,
    async work() {
      const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
      const output = collectOutput(child)
      const failed = (await exitCode(child)) === 0 ? 0 : 1
      return { passed: 1 - failed, failed, output: output() }
    },
  }
}

export function vitestStep(name, args) {
  return {
    name,
    async work() {
      const dir = mkdtempSync(join(tmpdir(), 'touchstone-report-'))
      const report = join(dir, 'report.json')
      try {
        const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
        const command = [binPath('vitest'), 'run', ...reporters, ...args]
        const child = spawn(process.execPath, command, { cwd: ROOT, stdio: 'inherit' })
        const status = await exitCode(child)
        const result = JSON.parse(readFileSync(report, 'utf8'))
        const failed = result.numFailedTests
        return {
          passed: result.numPassedTests,
          // A suite that cannot be loaded counts as one failure.
          failed: status === 0 ? failed : Math.max(failed, 1),
          reasons: result.testResults.flatMap(reasonsOf),
          files: result.testResults.map(durationOf),
        }
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    },
  }
}

/**
 * Tests the Rust verifier of proofs and receipts. Returns undefined if cargo is not installed, unless
 * REQUIRE_CARGO=1 makes that a failure.
 */
export function cargoStep(name, dir) {
  const hasCargo = spawnSync('cargo', ['--version']).status === 0
  if (!hasCargo && process.env.REQUIRE_CARGO !== '1') return undefined
  const args = ['test', '--release', '--offline', '--locked']
  return {
    name,
    async work() {
      const cwd = join(ROOT, dir)
      const { status, stdout } = spawnSync('cargo', args, {
        cwd,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const output = String(stdout ?? '')
      const results = [...output.matchAll(/^test result: \S+ (\d+) passed; (\d+) failed/gm)]
      const total = (group) => results.reduce((sum, result) => sum + Number(result[group]), 0)
      const [passed, failed] = [total(1), total(2)]
      // A suite in which no test ran counts as a failure.
      return { passed, failed: status === 0 && passed > 0 ? failed : Math.max(failed, 1), output }
    },
  }
}

/** Several frameworks and coding agents need it. */
const INSTALLED_NODE_MIN = 22

/**
 * Tests the adapters of the SDK in the real frameworks, and the hooks in the real coding agents. Says so
 * and returns no step on an older Node.
 */
export function installedSteps() {
  if (Number(process.versions.node.split('.')[0]) < INSTALLED_NODE_MIN) {
    const what = 'the frameworks and coding agents'
    process.stdout.write(`Node is older than ${INSTALLED_NODE_MIN}: skipping ${what}.\n`)
    return []
  }
  return ['frameworks', 'clients'].map((name) => vitestStep(name, ['--project', name]))
}

/**
 * Tests the Python SDK. Says so and returns no step if Python is not installed, unless REQUIRE_PYTHON=1
 * makes that a failure. `env` is for the tests.
 */
export function pythonSteps(env = {}) {
  if (!usePython()) {
    process.stdout.write('python3 (3.10 or newer) is not installed: skipping the Python SDK.\n')
    return []
  }
  return [
    {
      name: 'python SDK',
      async work() {
        const child = spawn(process.execPath, ['tools/test-python.mjs'], {
          cwd: ROOT,
          env: { ...process.env, ...env },
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        const output = collectOutput(child)
        const status = await exitCode(child)
        const total = Number(/^Ran (\d+) tests? in /m.exec(output())?.[1] ?? 0)
        const counts = [...output().matchAll(/\b(?:failures|errors)=(\d+)/g)]
        const faulty = counts.reduce((sum, [, count]) => sum + Number(count), 0)
        // A suite in which no test ran counts as a failure.
        const failed = status === 0 && total > 0 ? faulty : Math.max(faulty, 1)
        const reasons = failed > 0 ? [output()] : []
        return { passed: Math.max(0, total - failed), failed, reasons }
      },
    },
  ]
}

function collectOutput(child) {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk
    })
  }
  return () => output
}

function exitCode(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}

function durationOf({ name, startTime, endTime }) {
  return { file: relative(ROOT, name), seconds: (endTime - startTime) / 1000 }
}

/** The failed tests of a file and their messages, to be printed at the end of the log. */
function reasonsOf({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (failed.length === 0) return status === 'failed' ? [`${name}\n${message}`] : []
  return failed.map((test) => `${name}: ${test.fullName}\n${test.failureMessages.join('\n')}`)
}

/** Runs work that precedes all steps and measures it. */
export function timed(name, work) {
  const startedAt = performance.now()
  work()
  return { name, seconds: (performance.now() - startedAt) / 1000 }
}

/**
 * Runs lists of steps in parallel. The steps of a list run in order, also after a failure. Prints the
 * slowest files, the failures, the time since this process started and the totals, then exits. If a
 * file for times is given, writes the duration of every step to it, those of `before` included.
 */
export async function finish(lists, { before = [], times } = {}) {
  const outcomes = (await Promise.all(lists.map(runInOrder))).flat()
  const seconds = performance.now() / 1000
  const files = outcomes
    .flatMap((outcome) => outcome.files ?? [])
    .sort((a, b) => b.seconds - a.seconds)
  if (files.length > 0) process.stdout.write(`\nSlowest files\n${formatSlowest(files)}`)
  for (const { name, failed, reasons = [] } of outcomes) {
    if (failed > 0) process.stdout.write(`\n${[`Failed: ${name}`, ...reasons].join('\n')}\n`)
  }
  const sum = (key) => outcomes.reduce((total, outcome) => total + outcome[key], 0)
  if (times !== undefined) {
    const steps = [...before, ...outcomes].map(({ name, seconds }) => ({ name, seconds }))
    writeFileSync(times, JSON.stringify({ seconds, steps, files }))
  }
  process.stdout.write(`\nTook ${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s\n`)
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`)
  process.exit(sum('failed') === 0 ? 0 : 1)
}

async function runInOrder(steps) {
  const outcomes = []
  for (const { name, work } of steps) {
    const startedAt = performance.now()
    const outcome = await outcomeOf(work)
    const seconds = (performance.now() - startedAt) / 1000
    const mark = outcome.failed === 0 ? '✓' : '✗'
    process.stdout.write(`${mark} ${name} (${seconds.toFixed(1)} s)\n${outcome.output ?? ''}`)
    outcomes.push({ name, seconds, ...outcome })
  }
  return outcomes
}

async function outcomeOf(work) {
  try {
    return await work()
  } catch (err) {
    process.stderr.write(`${err instanceof Error ? err.stack : err}\n`)
    return { passed: 0, failed: 1 }
  }
}

function formatSlowest(files) {
  const line = ({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}\n`
  return files.slice(0, SLOWEST_FILES).map(line).join('')
}
