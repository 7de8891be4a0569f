import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createClient } from '../client.ts'
import type { Evidence } from './evidence.ts'
import { createEvidenceQueue } from './evidence-queue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Sent = { checkpoint_id: string }

function evidence(number: number): Evidence {
  const common = { agent_id: 'desk', timestamp: new Date(0).toISOString() }
  return {
    tools: ['shop_search'],
    trace: {
      ...common,
      trace_id: `tr-${number}`,
      action: { type: 'execute', name: 'search', category: 'bounded' },
      decision: { selected: 'shop_search', selection_reasoning: 'It fits.', values_applied: [] },
    },
    checkpoint: { ...common, checkpoint_id: `ic-${number}`, output: 'shop_search({})' },
  }
}

/** A queue in front of a service that stores everything, unless `answer` gives a response. */
function createQueue(answer: (path: string) => Response | undefined = () => undefined, max = 1000) {
  const stored: string[][] = []
  const lost: string[] = []
  const delayed: string[] = []
  const client = createClient({
    baseUrl: 'http://service.test',
    retries: 0,
    async fetch(url, init) {
      const path = new URL(String(url)).pathname
      const response = answer(path)
      if (response !== undefined) return response
      const { checkpoints = [] } = JSON.parse(String(init?.body)) as { checkpoints?: Sent[] }
      if (checkpoints.length > 0)
        stored.push(checkpoints.map((sent) => sent.checkpoint_id.slice(3)))
      return Response.json({ results: [] })
    },
  })
  const queue = createEvidenceQueue({
    client,
    max,
    complete: async (evidence) => evidence,
    onLost: ({ reason }) => void lost.push(reason),
    onDelayed: (error) => void delayed.push(String(error)),
  })
  const add = (from: number, to: number) => {
    for (let number = from; number < to; number += 1) queue.add(evidence(number))
  }
  return { queue, add, stored, lost, delayed }
}

const idsUpTo = (amount: number) => Array.from({ length: amount }, (_, number) => String(number))
const unavailable = () =>
  Response.json({ error: 'internal_error', message: 'down' }, { status: 503 })

describe('queued evidence', () => {
  it('is sent in one batch once calls pause', async () => {
    const { add, stored } = createQueue()
    add(0, 2)
    await vi.advanceTimersByTimeAsync(150)
    add(2, 3)
    await vi.advanceTimersByTimeAsync(150)
    expect(stored).toEqual([])
    await vi.advanceTimersByTimeAsync(100)
    expect(stored).toEqual([['0', '1', '2']])
  })

  it('is sent after two seconds even if calls do not pause', async () => {
    const { add, stored } = createQueue()
    for (let number = 0; number < 30; number += 1) {
      add(number, number + 1)
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(stored[0]).toHaveLength(20)
  })

  it('is sent immediately from 500 records on, in batches of fifty', async () => {
    const { add, stored } = createQueue()
    add(0, 500)
    await vi.advanceTimersByTimeAsync(0)
    expect(stored.map((batch) => batch.length)).toEqual(Array(10).fill(50))
    expect(stored.flat()).toEqual(idsUpTo(500))
  })

  it('is sent immediately by flush', async () => {
    const { queue, add, stored } = createQueue()
    add(0, 70)
    await queue.flush()
    expect(stored.flat()).toEqual(idsUpTo(70))
    expect(queue.size()).toBe(0)
  })

  it('is retried with exponential backoff that new calls do not cut short', async () => {
    let isDown = true
    const { queue, add, stored, delayed } = createQueue(() => (isDown ? unavailable() : undefined))
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

  it('is reported as lost if the service rejects it, and does not block later evidence', async () => {
    let isRejecting = true
    const rejected = () =>
      Response.json({ error: 'invalid_request', message: 'no' }, { status: 400 })
    const { queue, add, stored, lost } = createQueue(() => (isRejecting ? rejected() : undefined))
    add(0, 1)
    await queue.flush()
    isRejecting = false
    add(1, 2)
    await queue.flush()
    expect([lost, stored]).toEqual([['no'], [['1']]])
  })

  it('evicts the oldest record if the queue is full', async () => {
    const { queue, add, stored, lost } = createQueue(undefined, 2)
    add(0, 3)
    expect(queue.size()).toBe(2)
    await queue.flush()
    expect([lost, stored]).toEqual([['The evidence queue was full.'], [['1', '2']]])
  })

  it('is reported as lost once, even if trace and checkpoint are both rejected and the batch is retried', async () => {
    const rejected = () =>
      Response.json({ results: [{ index: 0, status: 'rejected', message: 'No such agent.' }] })
    let isDown = true
    const { queue, add, lost } = createQueue((path) =>
      path === '/v1/checkpoints/batch' && isDown ? unavailable() : rejected(),
    )
    add(0, 1)
    await expect(queue.flush()).rejects.toThrow('down')
    isDown = false
    await queue.flush()
    expect(lost).toEqual(['No such agent.'])
    expect(queue.size()).toBe(0)
  })

  it('may be a trace alone or a checkpoint alone, and the right one is reported as lost', async () => {
    const sent: string[] = []
    const client = createClient({
      baseUrl: 'http://service.test',
      retries: 0,
      async fetch(url, init) {
        const body = JSON.parse(String(init?.body)) as Record<string, object[]>
        const [kind = ''] = Object.keys(body)
        sent.push(`${new URL(String(url)).pathname} ${body[kind]?.length}`)
        const last = (body[kind]?.length ?? 0) - 1
        return Response.json({ results: [{ index: last, status: 'rejected', message: kind }] })
      },
    })
    const lost: string[] = []
    const queue = createEvidenceQueue({
      client,
      max: 10,
      complete: async (evidence) => evidence,
      onLost: ({ evidence: { tools }, reason }) => void lost.push(`${tools} ${reason}`),
      onDelayed: () => undefined,
    })
    const { trace, checkpoint } = evidence(0)
    queue.add({ tools: ['first'], trace: undefined, checkpoint })
    await queue.flush()
    queue.add({ tools: ['second'], trace, checkpoint: undefined })
    queue.add({ tools: ['third'], trace: undefined, checkpoint })
    await queue.flush()
    expect(sent).toEqual([
      '/v1/checkpoints/batch 1',
      '/v1/traces/batch 1',
      '/v1/checkpoints/batch 1',
    ])
    expect(lost).toEqual(['first checkpoints', 'second traces', 'third checkpoints'])
  })
})
