import { constants, getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { TASKS } from './tasks.ts'
import type { DoneMessage, TaskMessage } from './worker-pool.ts'

/** The entry of a pool thread: runs one task after the other, selected by name. */
const tasks: ReadonlyMap<string, (input: never) => unknown> = new Map(Object.entries(TASKS))

// Lowers the priority, so that requests come first if cores are few. Only Linux has priorities
// per thread. A process that already has a low priority keeps it: raising it needs privileges.
const { PRIORITY_BELOW_NORMAL } = constants.priority
try {
  if (platform() === 'linux' && getPriority() < PRIORITY_BELOW_NORMAL) {
    setPriority(PRIORITY_BELOW_NORMAL)
  }
} catch {
  // A sandbox may forbid it; the tasks run nevertheless.
}

parentPort?.on('message', async ({ name, input }: TaskMessage) => {
  parentPort?.postMessage(await perform(name, input))
})

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
