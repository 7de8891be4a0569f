import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Row, report } from './report.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** What we hold ourselves to, on a fresh clone with two cores. */
const SECONDS_MAX = 600
const FILES = 20

type Times = {
  seconds: number
  steps: { name: string; seconds: number }[]
  files: { file: string; seconds: number }[]
}

function must(program: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(program, args, { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** What a newcomer waits for: clone, install, build, check and test. */
function timesOfFreshClone(): Times {
  const dir = mkdtempSync(join(tmpdir(), 'touchstone-clone-'))
  try {
    must('git', ['clone', '--quiet', ROOT, join(dir, 'clone')], dir)
    const times = join(dir, 'times.json')
    must('npm', ['test', '--', '--times', times], join(dir, 'clone'))
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
  peerName: 'the whole',
})
report('test-time', [
  { what: 'npm test', unit: 's', ours: seconds, peer: SECONDS_MAX, peerName: 'our limit' },
  ...steps.map((step) => part(step.name, step.seconds)),
  ...files.slice(0, FILES).map((one) => part(one.file, one.seconds)),
])
