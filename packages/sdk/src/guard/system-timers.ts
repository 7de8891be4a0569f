import type { Timers } from './gatherer.ts'

/** Timers that keep no process alive. */
export const SYSTEM_TIMERS: Timers = {
  // Not the wall clock, which can be set back.
  nowMs: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    if (typeof timer === 'object') timer.unref()
    return () => clearTimeout(timer)
  },
  beforeExit(run) {
    exitTasks.add(run)
    if (exitTasks.size === 1) processOf()?.on('beforeExit', runExitTasks)
    return () => {
      exitTasks.delete(run)
      if (exitTasks.size === 0) processOf()?.off('beforeExit', runExitTasks)
    }
  },
}

/** One listener for all guards: Node warns about more than ten on one event. */
const exitTasks = new Set<() => void>()

function runExitTasks(): void {
  for (const run of [...exitTasks]) run()
}

type Process = Record<'on' | 'off', (event: 'beforeExit', run: () => void) => unknown>

/** Undefined outside Node, as in browsers. */
function processOf(): Process | undefined {
  const { process } = globalThis as { process?: Partial<Process> }
  const isNode = typeof process?.on === 'function' && typeof process.off === 'function'
  return isNode ? (process as Process) : undefined
}
