import { constants, getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { DoneMessage, TaskMessage } from './worker-pool.ts'

/** The entry of a pool thread: runs one task after the other, selected by name. */

lowerPriority()
// Only now, because reading the code takes a new thread longer than most tasks: a stranger's first
// request must not take the core from the thread that serves requests.
const { TASKS } = await import('./tasks.ts')
const tasks: ReadonlyMap<string, (input: never) => unknown> = new Map(Object.entries(TASKS))

parentPort?.on('message', async ({ name, input }: TaskMessage) => {
  parentPort?.postMessage(await perform(name, input))
})

/**
 * So that requests come first if cores are few. Only Linux has priorities per thread. A process that
 * already has a low priority keeps it: raising it needs privileges.
 */
function lowerPriority(): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority
  try {
    if (platform() === 'linux' && getPriority() < PRIORITY_BELOW_NORMAL) {
      setPriority(PRIORITY_BELOW_NORMAL)
    }
  } catch {
    // A sandbox may forbid it; the tasks run nevertheless.
  }
}

async function perform(name: string, input: unknown): Promise<DoneMessage> {
  try {
    const task = tasks.get(name)
    if (task === undefined) throw new Error(`no such task: ${name}`)
    // The cast is safe: the type of `run` ties the input to the task, which a message cannot express.
    return { output: await task(input as never) }
  } catch (error) {
    return { error }
  }
}
