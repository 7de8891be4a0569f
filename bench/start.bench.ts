import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, type Row, report } from './report.ts'
import { createDataFolder, startService } from './service.ts'

const ROUNDS = 7
const PORT = 8913
/** Our own limits. */
const START_SECONDS_MAX = 3
const MEMORY_MB_MAX = 300
const IDLE_MS = 3000

type Process = { pid: number; parent: number }

function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        return [{ pid: Number(name), parent: Number(fields[1]) }]
      } catch {
        return []
      }
    })
}

/** Memory of a process and its descendants. PSS counts a page that several share only once. */
function memoryMb(root: number): number {
  const all = processes()
  const family = [root]
  for (const pid of family) {
    family.push(...all.filter((p) => p.parent === pid).map((p) => p.pid))
  }
  const kb = family.map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
  })
  return kb.reduce((total, value) => total + value, 0) / 1024
}

const folder = createDataFolder()
const cold = await startService(folder.dir, PORT)
await cold.stop()
const starts: number[] = []
const memory: number[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  const warm = await startService(folder.dir, PORT)
  starts.push(warm.startMs / 1000)
  if (process.platform === 'linux') {
    await sleep(IDLE_MS)
    memory.push(memoryMb(warm.child.pid ?? 0))
  }
  await warm.stop()
  process.stdout.write('.')
}
folder.remove()

const peerName = 'our maximum'
const rows: Row[] = [
  { what: 'first start', unit: 's', ours: cold.startMs / 1000, peer: START_SECONDS_MAX, peerName },
  { what: 'warm start', unit: 's', ours: median(starts), peer: START_SECONDS_MAX, peerName },
]
if (memory.length > 0) {
  const what = 'memory when idle, database included'
  rows.push({ what, unit: 'MB', ours: median(memory), peer: MEMORY_MB_MAX, peerName })
}
report('start', rows)
