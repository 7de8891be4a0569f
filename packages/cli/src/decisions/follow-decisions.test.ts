import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApiError, createClient } from '@touchstone/sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { type Following, followDecisions } from './follow-decisions.ts'

type Stored = { decision_id: string; decided_at: string; tool: string }

const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 12, 0, second)).toISOString()

/** A service whose stream can be cut, with the list of its decisions. */
async function startService() {
  const stored: Stored[] = []
  const streams = new Set<ServerResponse>()
  let refusal: number | undefined
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '', 'http://localhost')
    if (refusal !== undefined) {
      res.writeHead(refusal, { 'content-type': 'application/json' })
      res.end('{"error":"unauthorized","message":"No."}')
    } else if (url.pathname.endsWith('/stream')) {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.write('event: open\ndata: {}\n\n')
      streams.add(res)
    } else {
      const from = url.searchParams.get('from') ?? ''
      const decisions = stored
        .filter(({ decided_at }) => decided_at >= from)
        .toReversed()
        .slice(0, Number(url.searchParams.get('limit')))
        .map((one) => ({ ...one, agent_id: 'desk', decision: 'allow', reasons: [] }))
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end(JSON.stringify({ decisions, next_cursor: null }))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    connection: { client: createClient({ baseUrl, retries: 0 }), url: baseUrl, orgId: 'org-1' },
    hasStream: () => streams.size > 0,
    /** Stores a decision, and sends it if somebody listens. */
    decide(id: string, second: number) {
      stored.push({ decision_id: id, decided_at: at(second), tool: 'search' })
      const data = { time: at(second), decision_id: id, agent_id: 'desk', tool: 'search' }
      const text = JSON.stringify({ ...data, decision: 'allow' })
      for (const stream of streams) stream.write(`event: gateway.decision\ndata: ${text}\n\n`)
    },
    cut() {
      for (const stream of streams) stream.destroy()
      streams.clear()
    },
    refuse: (status: number) => {
      refusal = status
    },
  }
}

function follow(
  connection: Parameters<typeof followDecisions>[0],
  options: Partial<Following> = {},
) {
  const stop = new AbortController()
  const told: string[] = []
  const ended = followDecisions(
    connection,
    {
      filter: {},
      last: 10,
      onDecision: (one) => void told.push(one.decision_id),
      onLive: () => void told.push('live'),
      onInterrupted: () => void told.push('interrupted'),
      onGap: () => void told.push('gap'),
      waitMs: { first: 10, max: 20 },
      ...options,
    },
    stop.signal,
  )
  onTestFinished(() => stop.abort())
  return { told, ended, stop }
}

describe('followDecisions', () => {
  it('starts with the last decisions and goes on with new ones', async () => {
    const service = await startService()
    for (const n of [1, 2, 3]) service.decide(`dec-${n}`, n)
    const { told, ended, stop } = follow(service.connection, { last: 2 })
    await eventually(() => expect(told).toEqual(['dec-2', 'dec-3', 'live']))
    service.decide('dec-4', 4)
    await eventually(() => expect(told).toEqual(['dec-2', 'dec-3', 'live', 'dec-4']))
    stop.abort()
    await ended
  })

  it('reports each decision once across interruptions, also those made meanwhile', async () => {
    const service = await startService()
    service.decide('dec-1', 1)
    const { told } = follow(service.connection, { last: 0 })
    await eventually(() => expect(told).toEqual(['live']))
    service.decide('dec-2', 2)
    await eventually(() => expect(told).toEqual(['live', 'dec-2']))
    service.cut()
    service.decide('dec-3', 3)
    const afterwards = ['live', 'dec-2', 'interrupted', 'dec-3', 'live']
    await eventually(() => expect(told).toEqual(afterwards))
    service.cut()
    await eventually(() => expect(service.hasStream()).toBe(true))
    service.decide('dec-4', 4)
    await eventually(() => expect(told).toContain('dec-4'))
    expect(told.filter((one) => one.startsWith('dec-'))).toEqual(['dec-2', 'dec-3', 'dec-4'])
  })

  it('ends with the error if the service refuses, at the start or later', async () => {
    const service = await startService()
    service.decide('dec-1', 1)
    const { ended, told } = follow(service.connection)
    await eventually(() => expect(told).toEqual(['dec-1', 'live']))
    service.refuse(401)
    service.cut()
    await expect(ended).rejects.toThrow(ApiError)
    expect(told).toEqual(['dec-1', 'live', 'interrupted'])
    service.refuse(503)
    await expect(follow(service.connection).ended).rejects.toThrow(ApiError)
  })
})
