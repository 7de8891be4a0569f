import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Row, report } from './report.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Our own limit, on a fresh clone with two cores. */
const SECONDS_MAX = 600
const FILES = 20

type Times = {
  seconds: number
  steps: { name: string; seconds: number }[]
  files: { file: string; seconds: number }[]
}

function runOrExit(program: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(program, args, { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** Times install, build, checks and tests of a fresh clone, which is what a newcomer waits for. */
function timesOfFreshClone(): Times {
  const dir = mkdtempSync(join(tmpdir(), 'touchstone-clone-'))
  try {
    runOrExit('git', ['clone', '--quiet', ROOT, join(dir, 'clone')], dir)
    const times = join(dir, 'times.json')
    runOrExit('npm', ['test', '--', '--times', times], join(dir, 'clone'))
    return JSON.parse(readFileSync(times, 'utf8'))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const { seconds, steps, files } = timesOfFreshClone()
const part = (what: string, took: number): Row => ({
  what,
  unit: 's',
  ours: took,
  peer: seconds,
  peerName: 'total',
})
report('test-time', [
  { what: 'npm test', unit: 's', ours: seconds, peer: SECONDS_MAX, peerName: 'our maximum' },
  ...steps.map((step) => part(step.name, step.seconds)),
  ...files.slice(0, FILES).map(({ file, seconds }) => part(file, seconds)),
])
