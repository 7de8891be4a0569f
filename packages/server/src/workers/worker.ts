import { constants, getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { TASKS } from './tasks.ts'
import type { DoneMessage, TaskMessage } from './worker-pool.ts'

/** What a thread of the pool runs: one task after the other, named by whoever asks. */
const tasks: ReadonlyMap<string, (input: never) => unknown> = new Map(Object.entries(TASKS))

// Requests come first, where cores are few. Only on Linux is a priority that of a thread.
// A process that is patient already stays so: only a privileged one may become less.
const { PRIORITY_BELOW_NORMAL } = constants.priority
try {
  if (platform() === 'linux' && getPriority() < PRIORITY_BELOW_NORMAL) {
    setPriority(PRIORITY_BELOW_NORMAL)
  }
} catch {
  // A sandbox may forbid it; the work is done all the same.
}

parentPort?.on('message', async ({ name, input }: TaskMessage) => {
  parentPort?.postMessage(await perform(name, input))
})

async function perform(name: string, input: unknown): Promise<DoneMessage> {
  try {
    const task = tasks.get(name)
    if (task === undefined) throw new Error(`there is no task ${name}`)
    return { output: await task(input as never) }
  } catch (error) {
    return { error }
  }
}
