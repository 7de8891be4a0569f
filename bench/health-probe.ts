import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { parentPort, Worker, workerData } from 'node:worker_threads'

const PROBE_EVERY_MS = 5

export type HealthProbe = {
  /** The milliseconds that each GET /health/live took while `work` ran. */
  beside(work: () => Promise<unknown>): Promise<number[]>
  stop(): Promise<number>
}

/**
 * Asks for /health/live every few milliseconds, on connections of its own and on a thread of its own: a
 * program that sends megabytes at the same time would measure its own delays too.
 */
export function startHealthProbe(origin: string): HealthProbe {
  const thread = new Worker(new URL(import.meta.url), { workerData: origin })
  const ask = async (message: 'begin' | 'end'): Promise<number[]> => {
    const answer = once(thread, 'message')
    thread.postMessage(message)
    return (await answer)[0]
  }
  return {
    async beside(work) {
      await ask('begin')
      await work()
      return ask('end')
    },
    stop: () => thread.terminate(),
  }
}

function health(origin: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const req = request(`${origin}/health/live`, { agent }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(performance.now() - startedAt))
    })
    req.on('error', reject)
    req.end()
  })
}

/** The thread. */
function probe(origin: string): void {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  let probes: Promise<number>[] = []
  let timer: NodeJS.Timeout | undefined
  parentPort?.on('message', async (message) => {
    clearInterval(timer)
    const taken = await Promise.all(probes)
    probes = []
    if (message === 'begin') {
      timer = setInterval(() => probes.push(health(origin, agent)), PROBE_EVERY_MS)
    }
    parentPort?.postMessage(taken)
  })
}

if (typeof workerData === 'string') probe(workerData)
