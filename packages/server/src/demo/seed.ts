import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Step } from './client.ts'

/** Users' requests come first: after each step it pauses, mostly for as long as the step took. */
const REST_MS_MAX = 10

export type Seeding = {
  client: Client
  steps: readonly Step[]
  setTime(at: Date): void
  /** Runs the jobs that the steps so far have queued. */
  settle(): Promise<void>
  signal: AbortSignal
  onProgress(done: number, total: number): void
}

/** False if it was stopped before the end. */
export async function seed(seeding: Seeding): Promise<boolean> {
  const { client, steps, signal } = seeding
  for (const [place, step] of steps.entries()) {
    if (signal.aborted) return false
    const startedAt = performance.now()
    seeding.setTime(step.at)
    await step.run(client)
    await seeding.settle()
    seeding.onProgress(place + 1, steps.length)
    const restMs = Math.min(performance.now() - startedAt, REST_MS_MAX)
    await sleep(restMs, undefined, { signal }).catch(() => undefined)
  }
  return true
}
