import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { createRelay, type Ruling, THINKING_KEY, type ToolCall } from './relay.ts'

type DecisionRequest = { call: ToolCall; answer(ruling: Partial<Ruling>): Promise<void> }

/** A relay between a client and a server that the test plays. */
async function startRelay() {
  const [client, relayClient] = InMemoryTransport.createLinkedPair()
  const [server, relayServer] = InMemoryTransport.createLinkedPair()
  const received: { client: JSONRPCMessage[]; server: JSONRPCMessage[] } = {
    client: [],
    server: [],
  }
  client.onmessage = (message) => void received.client.push(message)
  server.onmessage = (message) => void received.server.push(message)
  const requests: DecisionRequest[] = []
  const outcomes: [string, string, string?][] = []
  const notes: string[] = []
  const listed: unknown[] = []
  const relay = createRelay({
    client: relayClient,
    server: relayServer,
    decide: (call) =>
      new Promise((resolve) => {
        const answer = async (ruling: Partial<Ruling>) => {
          const reportOutcome = (outcome: string, error?: string) =>
            void outcomes.push(
              error === undefined ? [call.tool, outcome] : [call.tool, outcome, error],
            )
          resolve({ allowed: true, notices: [], reportOutcome, ...ruling } as Ruling)
          await settled()
        }
        requests.push({ call, answer })
      }),
    onTools: (tools) => void listed.push(tools),
    note: (line) => void notes.push(line),
  })
  await Promise.all([client.start(), server.start(), relay.start()])
  return { client, server, received, requests, outcomes, notes, listed, relay }
}

/** Resolves after all pending microtasks and immediates. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

const callOf = (id: number, name: string, more: object = {}): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: { path: 'x' }, ...more },
})
const REFUSAL = { content: [{ type: 'text', text: 'No' }], isError: true } as const

describe('a relay', () => {
  it('forwards every message except tool calls, in both directions', async () => {
    const { client, server, received, requests } = await startRelay()
    const messages: JSONRPCMessage[] = [
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 7, result: { roots: [] } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    ]
    for (const message of messages) await client.send(message)
    expect(received.server).toEqual(messages)
    const back: JSONRPCMessage[] = [
      { jsonrpc: '2.0', id: 1, result: { tools: [] } },
      { jsonrpc: '2.0', id: 7, method: 'roots/list' },
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 1, progress: 1 },
      },
    ]
    for (const message of back) await server.send(message)
    expect(received.client).toEqual(back)
    expect(requests).toEqual([])
  })

  it('shows the tools that the server lists, before the client gets them', async () => {
    const { client, server, received, listed } = await startRelay()
    await client.send({ jsonrpc: '2.0', id: 'a', method: 'tools/list' })
    const tools = [{ name: 'write' }, 7]
    await server.send({ jsonrpc: '2.0', id: 'a', result: { tools } })
    // An answer to another request, a repeated answer, and lists that are none.
    await server.send({ jsonrpc: '2.0', id: 'a', result: { tools: [{ name: 'other' }] } })
    await client.send({ jsonrpc: '2.0', id: 'b', method: 'tools/list' })
    await server.send({ jsonrpc: '2.0', id: 'b', result: { tools: 'all' } })
    expect(listed).toEqual([tools, []])
    expect(received.client).toHaveLength(3)
  })

  it('answers requests that do not reach the server, and reports the outcome of calls', async () => {
    const { client, server, received, requests, outcomes, relay } = await startRelay()
    await client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    await client.send(callOf(2, 'write'))
    await server.close()
    await requests[0]?.answer({ allowed: true })
    await client.send({ jsonrpc: '2.0', id: 3, method: 'ping' })
    await settled()
    expect(received.client).toMatchObject([
      { id: 2, error: { code: -32_000, message: 'Not connected' } },
      { id: 3, error: { code: -32_000, message: 'Not connected' } },
    ])
    expect(outcomes).toEqual([['write', 'failed', 'Not connected']])
    expect(relay.pendingCount()).toBe(0)
  })

  it('answers pending requests when the server has ended', async () => {
    const { client, received, requests, outcomes, relay } = await startRelay()
    await client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    await client.send(callOf(2, 'read'))
    await requests[0]?.answer({ allowed: true })
    relay.failPending('It has ended.')
    relay.failPending('It has ended.')
    await settled()
    expect(received.client).toMatchObject([
      { id: 1, error: { message: 'It has ended.' } },
      { id: 2, error: { message: 'It has ended.' } },
    ])
    expect(outcomes).toEqual([['read', 'failed', 'It has ended.']])
  })

  it.each([
    ['an array as name', { name: ['write'] }],
    ['no name', { name: undefined }],
    ['a string as arguments', { arguments: 'rm' }],
    ['an array as arguments', { arguments: [501] }],
  ])('rejects a call with %s', async (_fault, more) => {
    const { client, received, requests, relay } = await startRelay()
    await client.send(callOf(1, 'read', more))
    await settled()
    expect(received.client).toMatchObject([{ id: 1, error: { code: -32_602 } }])
    expect([requests, received.server, relay.pendingCount()]).toEqual([[], [], 0])
  })

  it('drops a call whose id is already in use by a pending call', async () => {
    const { client, server, received, requests, outcomes } = await startRelay()
    await client.send(callOf(1, 'read'))
    await client.send(callOf(1, 'write'))
    await requests[0]?.answer({ allowed: true })
    await client.send(callOf(1, 'write'))
    await server.send({ jsonrpc: '2.0', id: 1, result: { content: [] } })
    expect(requests).toHaveLength(1)
    expect(received.server).toEqual([callOf(1, 'read')])
    expect(outcomes).toEqual([['read', 'succeeded']])
    await client.send(callOf(1, 'write'))
    expect(requests).toHaveLength(2)
  })

  it('answers a call with an error if the decision fails', async () => {
    const [client, relayClient] = InMemoryTransport.createLinkedPair()
    const [server, relayServer] = InMemoryTransport.createLinkedPair()
    const received: JSONRPCMessage[] = []
    client.onmessage = (message) => void received.push(message)
    const relay = createRelay({
      client: relayClient,
      server: relayServer,
      decide: () => Promise.reject(new Error('no')),
      onTools: () => undefined,
      note: () => undefined,
    })
    await Promise.all([client.start(), server.start(), relay.start()])
    await client.send(callOf(1, 'read'))
    await settled()
    expect(received).toMatchObject([{ id: 1, error: { code: -32_603 } }])
    expect(relay.pendingCount()).toBe(0)
  })

  it('forwards a call only after the decision, and without the thinking', async () => {
    const { client, server, received, requests, outcomes, relay } = await startRelay()
    const _meta = { [THINKING_KEY]: 'because', progressToken: 5 }
    await client.send(callOf(1, 'read', { _meta }))
    expect(received.server).toEqual([])
    expect(requests[0]?.call).toEqual({
      tool: 'read',
      arguments: { path: 'x' },
      thinking: 'because',
    })
    await requests[0]?.answer({ allowed: true })
    expect(received.server).toEqual([callOf(1, 'read', { _meta: { progressToken: 5 } })])
    expect([outcomes, relay.pendingCount()]).toEqual([[], 1])
    await server.send({ jsonrpc: '2.0', id: 1, result: { content: [] } })
    expect(received.client).toEqual([{ jsonrpc: '2.0', id: 1, result: { content: [] } }])
    expect([outcomes, relay.pendingCount()]).toEqual([[['read', 'succeeded']], 0])
  })

  it('answers a refused call without the server', async () => {
    const { client, received, requests, outcomes } = await startRelay()
    await client.send(callOf(1, 'write'))
    await requests[0]?.answer({
      allowed: false,
      result: { ...REFUSAL, content: [...REFUSAL.content] },
    })
    expect(received.server).toEqual([])
    expect(received.client).toEqual([{ jsonrpc: '2.0', id: 1, result: REFUSAL }])
    expect(outcomes).toEqual([])
  })

  it('does not forward a call that was cancelled before the decision', async () => {
    const { client, received, requests, outcomes } = await startRelay()
    await client.send(callOf(1, 'write'))
    const params = { requestId: 1 }
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    await requests[0]?.answer({ allowed: true })
    expect(received).toEqual({ client: [], server: [] })
    expect(outcomes).toEqual([['write', 'refused']])
  })

  it('drops a tool call without an id', async () => {
    const { client, received, requests, notes } = await startRelay()
    await client.send({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'write' } })
    expect([received.server, requests, notes.length]).toEqual([[], [], 1])
  })

  it('appends notices to the result, and reports failed calls as failed', async () => {
    const { client, server, received, requests, outcomes } = await startRelay()
    await client.send(callOf(1, 'read'))
    await requests[0]?.answer({ allowed: true, notices: ['Mind the rules.'] })
    const content = [{ type: 'text', text: 'broken' }]
    await server.send({ jsonrpc: '2.0', id: 1, result: { content, isError: true } })
    expect(received.client).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: { content: [...content, { type: 'text', text: 'Mind the rules.' }], isError: true },
      },
    ])
    await client.send(callOf(2, 'read'))
    await requests[1]?.answer({ allowed: true })
    await server.send({ jsonrpc: '2.0', id: 2, error: { code: -32_603, message: 'no' } })
    expect(outcomes).toEqual([
      ['read', 'failed', 'broken'],
      ['read', 'failed', 'no'],
    ])
  })
})
