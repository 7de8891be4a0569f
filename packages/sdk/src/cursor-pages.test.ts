import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTouchstone } from './touchstone.ts'

/** Serves decisions in pages of the requested size; a cursor is the index of the next one. */
async function startList(total: number) {
  const seen: string[] = []
  const server = createServer((req, res) => {
    seen.push(req.url ?? '')
    const { searchParams } = new URL(req.url ?? '', 'http://localhost')
    const start = Number(searchParams.get('cursor') ?? 0)
    const end = Math.min(start + Number(searchParams.get('limit')), total)
    const decisions = Array.from({ length: end - start }, (_, at) => ({ decision_id: start + at }))
    const body = { decisions, next_cursor: end < total ? String(end) : null }
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { touchstone: createTouchstone({ baseUrl, token: 'tsk_test' }), seen }
}

describe('decisions.list', () => {
  it('follows the cursor to the end and keeps the filters', async () => {
    const { touchstone, seen } = await startList(5)
    const found: unknown[] = []
    for await (const one of touchstone.decisions.list({ tool: 'shop_*', limit: 2 })) {
      found.push(one.decision_id)
    }
    expect(found).toEqual([0, 1, 2, 3, 4])
    expect(seen).toEqual([
      '/v1/decisions?tool=shop_*&limit=2',
      '/v1/decisions?tool=shop_*&limit=2&cursor=2',
      '/v1/decisions?tool=shop_*&limit=2&cursor=4',
    ])
  })

  it('fetches no more pages than are read, and starts at a given cursor', async () => {
    const { touchstone, seen } = await startList(1000)
    for await (const one of touchstone.decisions.list({ cursor: '400' })) {
      expect(one.decision_id).toBe(400)
      break
    }
    expect(seen).toEqual(['/v1/decisions?cursor=400&limit=200'])
  })

  it('is empty if there is nothing', async () => {
    const { touchstone, seen } = await startList(0)
    for await (const one of touchstone.decisions.list()) expect.unreachable(String(one))
    expect(seen).toHaveLength(1)
  })
})
