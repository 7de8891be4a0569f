import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app.ts'
import type { ModelQuestion } from './client.ts'
import { startMockProvider } from './provider/mock-provider.ts'
import type { Turn } from './provider/turn.ts'

/** Evidence is stored shortly after the answer. */
const WAIT_MS = 10
const WAITS_MAX = 1000

export type ModelAsker = Awaited<ReturnType<typeof createModelAsker>>

/**
 * A made-up model, which listens on 127.0.0.1 while the demo data is created, and the programs that
 * call it through the model gateway, one at a time.
 */
export async function createModelAsker() {
  let next: Turn | undefined
  const provider = await startMockProvider(() => {
    return next ?? { status: 500, message: 'Nothing was asked' }
  })
  return {
    url: provider.url,
    close: provider.close,

    /** Returns when the evidence of the turn is stored, because the time moves on after that. */
    async ask({ server }: App, { baseUrl, turn, body }: ModelQuestion, key: string) {
      next = turn
      const answer = await server.inject({
        method: 'POST',
        url: `${new URL(baseUrl).pathname}/v1/messages`,
        headers: { 'content-type': 'application/json', 'x-api-key': 'demo' },
        payload: JSON.stringify(body),
      })
      const checkpointId = answer.headers['x-touchstone-checkpoint']
      if (answer.statusCode !== 200 || typeof checkpointId !== 'string') {
        throw new Error(`the model answered ${answer.statusCode}: ${answer.payload}`)
      }
      const url = `/v1/checkpoints/${checkpointId}`
      const headers = { authorization: `Bearer ${key}` }
      for (let waits = 0; waits < WAITS_MAX; waits += 1) {
        const found = await server.inject({ method: 'GET', url, headers })
        if (found.statusCode === 200) return answer.json()
        await sleep(WAIT_MS)
      }
      throw new Error(`the evidence of a turn, ${checkpointId}, was not stored`)
    },
  }
}
