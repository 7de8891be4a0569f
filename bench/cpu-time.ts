import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks of Linux, which are the same everywhere. */
const TICKS_PER_SECOND = 100

/** The CPU time of a process so far. Linux only. */
export function cpuSeconds(pid: number): number {
  const [user = 0, system = 0] = timesOf(pid)
  return (user + system) / TICKS_PER_SECOND
}

/** That of a process, of its children, and of children that have ended. */
export function cpuSecondsOfTree(pid: number): number {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => parentOf(child) === pid)
  const own = timesOf(pid).reduce((sum, ticks) => sum + ticks, 0) / TICKS_PER_SECOND
  return children.reduce((sum, child) => sum + cpuSeconds(child), own)
}

/** In user and system mode, then those of children that have ended: proc_pid_stat(5), fields 14 to 17. */
function timesOf(pid: number): number[] {
  return statOf(pid).slice(11, 15).map(Number)
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(statOf(pid)[1])
  } catch {
    // It ended since the processes were listed.
    return undefined
  }
}

/** The fields of /proc/PID/stat after the name of the program, which may contain spaces. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}
