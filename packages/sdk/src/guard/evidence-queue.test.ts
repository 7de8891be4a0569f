import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createClient } from '../client.ts'
import { evidenceOf } from './evidence.ts'
import { createEvidenceQueue } from './evidence-queue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Sent = { checkpoint_id: string }

function evidence(number: number) {
  return evidenceOf({
    agentId: 'desk',
    call: { tool: 'shop_search', sessionId: 's1' },
    verdict: {
      ...{ decision: 'allow', source: 'service', reasons: [], decisionId: null },
      ...{ escalationId: null, notices: [] },
    },
    ...{ outcome: 'succeeded', values: [], recordArguments: false, at: new Date(0) },
    newId: () => String(number),
  })
}

/** A queue before a service that stores everything, or answers as it is told. */
function world(answer: (path: string) => Response | undefined = () => undefined, max = 1000) {
  const stored: string[][] = []
  const lost: string[] = []
  const delayed: string[] = []
  const client = createClient({
    ...{ baseUrl: 'http://service.test', retries: 0 },
    async fetch(url, init) {
      const path = new URL(String(url)).pathname
      const given = answer(path)
      if (given !== undefined) return given
      const { checkpoints = [] } = JSON.parse(String(init?.body)) as { checkpoints?: Sent[] }
      if (checkpoints.length > 0) stored.push(checkpoints.map((one) => one.checkpoint_id.slice(3)))
      return Response.json({ results: [] })
    },
  })
  const queue = createEvidenceQueue({
    ...{ client, max, complete: async (one) => one },
    onLost: ({ reason }) => void lost.push(reason),
    onDelayed: (error) => void delayed.push(String(error)),
  })
  const add = (from: number, to: number) => {
    for (let number = from; number < to; number += 1) queue.add(evidence(number))
  }
  return { queue, add, stored, lost, delayed }
}

const all = (amount: number) => Array.from({ length: amount }, (_, number) => String(number))
const down = () => Response.json({ error: 'internal_error', message: 'down' }, { status: 503 })

describe('evidence that waits', () => {
  it('is sent together once calls pause', async () => {
    const { add, stored } = world()
    add(0, 2)
    await vi.advanceTimersByTimeAsync(150)
    add(2, 3)
    await vi.advanceTimersByTimeAsync(150)
    expect(stored).toEqual([])
    await vi.advanceTimersByTimeAsync(100)
    expect(stored).toEqual([['0', '1', '2']])
  })

  it('does not wait for ever for calls to pause', async () => {
    const { add, stored } = world()
    for (let number = 0; number < 30; number += 1) {
      add(number, number + 1)
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(stored[0]).toHaveLength(20)
  })

  it('is sent without a pause when there is much of it, fifty at a time', async () => {
    const { add, stored } = world()
    add(0, 500)
    await vi.advanceTimersByTimeAsync(0)
    expect(stored.map((batch) => batch.length)).toEqual(Array(10).fill(50))
    expect(stored.flat()).toEqual(all(500))
  })

  it('is sent at once when asked for', async () => {
    const { queue, add, stored } = world()
    add(0, 70)
    await queue.flush()
    expect(stored.flat()).toEqual(all(70))
    expect(queue.size()).toBe(0)
  })

  it('is kept and sent again, after growing pauses that no new call cuts short', async () => {
    let isDown = true
    const { queue, add, stored, delayed } = world(() => (isDown ? down() : undefined))
    add(0, 1)
    await vi.advanceTimersByTimeAsync(200)
    expect([stored, delayed.length]).toEqual([[], 1])
    add(1, 2)
    await vi.advanceTimersByTimeAsync(999)
    expect(delayed).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(delayed).toHaveLength(2)
    await expect(queue.flush()).rejects.toThrow('down')
    isDown = false
    await vi.advanceTimersByTimeAsync(60_000)
    expect(stored).toEqual([['0', '1']])
  })

  it('that the service will never take is told of, and holds up nothing', async () => {
    let isRefused = true
    const refused = () =>
      Response.json({ error: 'invalid_request', message: 'no' }, { status: 400 })
    const { queue, add, stored, lost } = world(() => (isRefused ? refused() : undefined))
    add(0, 1)
    await queue.flush()
    isRefused = false
    add(1, 2)
    await queue.flush()
    expect([lost, stored]).toEqual([['no'], [['1']]])
  })

  it('makes room for new evidence when there is too much', async () => {
    const { queue, add, stored, lost } = world(undefined, 2)
    add(0, 3)
    expect(queue.isFull()).toBe(true)
    await queue.flush()
    expect([lost, stored]).toEqual([['There was no room left.'], [['1', '2']]])
  })

  it('is told once as lost, though trace and checkpoint are refused, and again after a failure', async () => {
    const refused = () =>
      Response.json({ results: [{ index: 0, status: 'rejected', message: 'No such agent.' }] })
    let isDown = true
    const { queue, add, lost } = world((path) =>
      path === '/v1/checkpoints/batch' && isDown ? down() : refused(),
    )
    add(0, 1)
    await expect(queue.flush()).rejects.toThrow('down')
    isDown = false
    await queue.flush()
    expect(lost).toEqual(['No such agent.'])
    expect(queue.size()).toBe(0)
  })
})
