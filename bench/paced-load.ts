import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

export type PacedLoad = {
  origin: string
  path: string
  headers: Record<string, string>
  body: string
  perSecond: number
  seconds: number
  connections: number
}

/**
 * Sends requests at an even rate, whether or not earlier ones have been answered (an open-loop
 * load), and returns their p99 in milliseconds. Each latency is measured from the time the request
 * was due, so that waiting for a free connection counts.
 */
export async function p99OfPacedLoad(load: PacedLoad): Promise<number> {
  const pool = new Pool(load.origin, { connections: load.connections })
  const { path, headers, body } = load
  const tookMs: number[] = []
  const send = async (dueMs: number): Promise<void> => {
    const answer = await pool.request({ method: 'POST', path, headers, body })
    await answer.body.dump()
    if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}`)
    tookMs.push(performance.now() - dueMs)
  }
  const startMs = performance.now()
  const sent: Promise<void>[] = []
  for (let count = 0; count < load.perSecond * load.seconds; count += 1) {
    const dueMs = startMs + (count * 1000) / load.perSecond
    const waitMs = dueMs - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    // A timer can fire up to a millisecond late; the latency is still measured from the due time.
    sent.push(send(dueMs))
  }
  await Promise.all(sent)
  await pool.close()
  tookMs.sort((a, b) => a - b)
  return tookMs[Math.floor(tookMs.length * 0.99)] ?? 0
}
