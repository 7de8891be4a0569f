import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { createRelay, type Ruling, THINKING_KEY, type ToolCall } from './relay.ts'

type Asked = { call: ToolCall; answer(ruling: Partial<Ruling>): Promise<void> }

/** A relay between two ends that the test holds in its hands. */
async function world() {
  const [client, relayClient] = InMemoryTransport.createLinkedPair()
  const [server, relayServer] = InMemoryTransport.createLinkedPair()
  const told: { client: JSONRPCMessage[]; server: JSONRPCMessage[] } = { client: [], server: [] }
  client.onmessage = (message) => void told.client.push(message)
  server.onmessage = (message) => void told.server.push(message)
  const asked: Asked[] = []
  const ended: [string, string][] = []
  const notes: string[] = []
  const relay = createRelay({
    client: relayClient,
    server: relayServer,
    ask: (call) =>
      new Promise((resolve) => {
        const answer = async (ruling: Partial<Ruling>) => {
          const told = (outcome: string) => void ended.push([call.tool, outcome])
          resolve({ allowed: true, notices: [], ended: told, ...ruling } as Ruling)
          await settled()
        }
        asked.push({ call, answer })
      }),
    note: (line) => void notes.push(line),
  })
  await Promise.all([client.start(), server.start(), relay.start()])
  return { client, server, told, asked, ended, notes, relay }
}

/** Whatever is under way without a clock has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

const callOf = (id: number, name: string, more: object = {}): JSONRPCMessage => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: { path: 'x' }, ...more },
})
const REFUSAL = { content: [{ type: 'text', text: 'No' }], isError: true } as const

describe('a relay', () => {
  it('passes everything on but tool calls, both ways', async () => {
    const { client, server, told, asked } = await world()
    const messages: JSONRPCMessage[] = [
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 7, result: { roots: [] } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    ]
    for (const message of messages) await client.send(message)
    expect(told.server).toEqual(messages)
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
    expect(told.client).toEqual(back)
    expect(asked).toEqual([])
  })

  it.each([
    ['a name in a list', { name: ['write'] }],
    ['no name', { name: undefined }],
    ['arguments that are a text', { arguments: 'rm' }],
    ['arguments that are a list', { arguments: [501] }],
  ])('refuses a call with %s, which nobody could be asked about', async (_what, more) => {
    const { client, told, asked, relay } = await world()
    await client.send(callOf(1, 'read', more))
    await settled()
    expect(told.client).toMatchObject([{ id: 1, error: { code: -32_602 } }])
    expect([asked, told.server, relay.waiting()]).toEqual([[], [], 0])
  })

  it('drops a call with the id of one under way, whose record it would take', async () => {
    const { client, server, told, asked, ended } = await world()
    await client.send(callOf(1, 'read'))
    await client.send(callOf(1, 'write'))
    await asked[0]?.answer({ allowed: true })
    await client.send(callOf(1, 'write'))
    await server.send({ jsonrpc: '2.0', id: 1, result: { content: [] } })
    expect(asked).toHaveLength(1)
    expect(told.server).toEqual([callOf(1, 'read')])
    expect(ended).toEqual([['read', 'succeeded']])
    await client.send(callOf(1, 'write'))
    expect(asked).toHaveLength(2)
  })

  it('answers a call, and forgets it, when asking fails', async () => {
    const [client, relayClient] = InMemoryTransport.createLinkedPair()
    const [server, relayServer] = InMemoryTransport.createLinkedPair()
    const told: JSONRPCMessage[] = []
    client.onmessage = (message) => void told.push(message)
    const relay = createRelay({
      ...{ client: relayClient, server: relayServer },
      ask: () => Promise.reject(new Error('no')),
      note: () => undefined,
    })
    await Promise.all([client.start(), server.start(), relay.start()])
    await client.send(callOf(1, 'read'))
    await settled()
    expect(told).toMatchObject([{ id: 1, error: { code: -32_603 } }])
    expect(relay.waiting()).toBe(0)
  })

  it('lets the server see a call only after the answer, and without the thinking', async () => {
    const { client, server, told, asked, ended, relay } = await world()
    const _meta = { [THINKING_KEY]: 'because', progressToken: 5 }
    await client.send(callOf(1, 'read', { _meta }))
    expect(told.server).toEqual([])
    expect(asked[0]?.call).toEqual({ tool: 'read', arguments: { path: 'x' }, thinking: 'because' })
    await asked[0]?.answer({ allowed: true })
    expect(told.server).toEqual([callOf(1, 'read', { _meta: { progressToken: 5 } })])
    expect([ended, relay.waiting()]).toEqual([[], 1])
    await server.send({ jsonrpc: '2.0', id: 1, result: { content: [] } })
    expect(told.client).toEqual([{ jsonrpc: '2.0', id: 1, result: { content: [] } }])
    expect([ended, relay.waiting()]).toEqual([[['read', 'succeeded']], 0])
  })

  it('answers a refused call itself', async () => {
    const { client, told, asked, ended } = await world()
    await client.send(callOf(1, 'write'))
    await asked[0]?.answer({
      allowed: false,
      result: { ...REFUSAL, content: [...REFUSAL.content] },
    })
    expect(told.server).toEqual([])
    expect(told.client).toEqual([{ jsonrpc: '2.0', id: 1, result: REFUSAL }])
    expect(ended).toEqual([])
  })

  it('does not call what was cancelled while it asked', async () => {
    const { client, told, asked, ended } = await world()
    await client.send(callOf(1, 'write'))
    const params = { requestId: 1 }
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    await asked[0]?.answer({ allowed: true })
    expect(told).toEqual({ client: [], server: [] })
    expect(ended).toEqual([['write', 'refused']])
  })

  it('drops a tool call that nobody could be answered', async () => {
    const { client, told, asked, notes } = await world()
    await client.send({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'write' } })
    expect([told.server, asked, notes.length]).toEqual([[], [], 1])
  })

  it('adds notices to what the tool answered, and tells failures apart', async () => {
    const { client, server, told, asked, ended } = await world()
    await client.send(callOf(1, 'read'))
    await asked[0]?.answer({ allowed: true, notices: ['Mind the rules.'] })
    const content = [{ type: 'text', text: 'broken' }]
    await server.send({ jsonrpc: '2.0', id: 1, result: { content, isError: true } })
    expect(told.client).toEqual([
      {
        ...{ jsonrpc: '2.0', id: 1 },
        result: { content: [...content, { type: 'text', text: 'Mind the rules.' }], isError: true },
      },
    ])
    await client.send(callOf(2, 'read'))
    await asked[1]?.answer({ allowed: true })
    await server.send({ jsonrpc: '2.0', id: 2, error: { code: -32_603, message: 'no' } })
    expect(ended).toEqual([
      ['read', 'failed'],
      ['read', 'failed'],
    ])
  })
})
