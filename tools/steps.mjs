// What check, test and test:full are made of. Each step gives what it counted.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { performance } from 'node:perf_hooks'
import { binPath, ROOT } from './setup.mjs'

const SLOWEST = 20

/** In a fresh clone: what `npm start` builds is all that the guide calls. */
export function builtStep() {
  return step('command line', ['packages/cli/bin/touchstone.mjs', 'help', 'policy', 'impact'])
}

/** Format and lint, types, directions between modules, dead code; later ones need what types builds. */
export function staticSteps() {
  return [
    step('format and lint', [binPath('@biomejs/biome'), 'ci', '--error-on-warnings', '.']),
    step('types', [binPath('typescript'), '-b']),
    step('directions', ['tools/dist/check-directions.js']),
    step('contracts', ['tools/dist/compile-contracts.js', '--check']),
    step('sdk types', ['tools/dist/write-sdk-types.js', '--check']),
    step('dead code', [binPath('knip'), '--no-progress']),
  ]
}

/** Its output is kept together, since something else may be running beside it. */
function step(name, args) {
  return {
    name,
    async work() {
      const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
      let said = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk) => {
          said += chunk
        })
      }
      const failed = (await exitCode(child)) === 0 ? 0 : 1
      return { passed: 1 - failed, failed, said }
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
          // A suite that could not even be loaded counts as a failure of its own.
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
 * The second verifier of proofs, in Rust. Undefined where there is no cargo, which REQUIRE_CARGO=1
 * does not allow.
 */
export function cargoStep(name, dir) {
  const there = spawnSync('cargo', ['--version']).status === 0
  if (!there && process.env.REQUIRE_CARGO !== '1') return undefined
  const args = ['test', '--release', '--offline', '--locked']
  return {
    name,
    async work() {
      const cwd = join(ROOT, dir)
      const { status, stdout } = spawnSync('cargo', args, {
        cwd,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const said = String(stdout ?? '')
      const results = [...said.matchAll(/^test result: \S+ (\d+) passed; (\d+) failed/gm)]
      const total = (group) => results.reduce((sum, result) => sum + Number(result[group]), 0)
      const [passed, failed] = [total(1), total(2)]
      // A suite that did not run at all has not passed.
      return { passed, failed: status === 0 && passed > 0 ? failed : Math.max(failed, 1), said }
    },
  }
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

/** What failed in one file and why, so that the end of a long log tells it. */
function reasonsOf({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (failed.length === 0) return status === 'failed' ? [`${name}\n${message}`] : []
  return failed.map((test) => `${name}: ${test.fullName}\n${test.failureMessages.join('\n')}`)
}

/** Something that comes before all steps, and how long it took. */
export function timed(name, work) {
  const began = performance.now()
  work()
  return { name, seconds: (performance.now() - began) / 1000 }
}

/**
 * Runs lists of steps beside each other, each list in its order and to its end whatever came of the
 * earlier ones. Closes with the slowest files, what failed, the time since this process began and the
 * totals. Where a file is named for times, they are written there, those of before included.
 */
export async function finish(lists, { before = [], times } = {}) {
  const outcomes = (await Promise.all(lists.map(runInOrder))).flat()
  const seconds = performance.now() / 1000
  const files = outcomes.flatMap((one) => one.files ?? []).sort((a, b) => b.seconds - a.seconds)
  if (files.length > 0) process.stdout.write(`\nSlowest files\n${slowest(files)}`)
  for (const { name, failed, reasons = [] } of outcomes) {
    if (failed > 0) process.stdout.write(`\n${[`Failed: ${name}`, ...reasons].join('\n')}\n`)
  }
  const sum = (key) => outcomes.reduce((total, one) => total + one[key], 0)
  if (times !== undefined) {
    const steps = [...before, ...outcomes].map((one) => ({ name: one.name, seconds: one.seconds }))
    writeFileSync(times, JSON.stringify({ seconds, steps, files }))
  }
  process.stdout.write(`\nTook ${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s\n`)
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`)
  process.exit(sum('failed') === 0 ? 0 : 1)
}

async function runInOrder(steps) {
  const outcomes = []
  for (const { name, work } of steps) {
    const began = performance.now()
    const outcome = await outcomeOf(work)
    const seconds = (performance.now() - began) / 1000
    const mark = outcome.failed === 0 ? '✓' : '✗'
    process.stdout.write(`${mark} ${name} (${seconds.toFixed(1)} s)\n${outcome.said ?? ''}`)
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

function slowest(files) {
  const line = ({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}\n`
  return files.slice(0, SLOWEST).map(line).join('')
}
