import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { textOf } from '#harness/checkpoints.ts'
import { freshDatabaseUrl } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import { sendMessage, startModelGateway, startRawProvider } from '#harness/model-gateway.ts'
import { startTcpProxy } from '#harness/tcp-proxy.ts'

const EVENT = (data: { type: string } & Record<string, unknown>) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const START = EVENT({ type: 'message_start', message: { id: 'msg_1', model: 'mock-large' } })
const THINKING = [
  EVENT({ type: 'content_block_start', index: 0, content_block: { type: 'thinking' } }),
  EVENT({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'thinking_delta', thinking: textOf(1) },
  }),
  EVENT({ type: 'content_block_stop', index: 0 }),
].join('')
const CALL = [
  EVENT({
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'tool_use', id: 'call_search', name: 'search', input: {} },
  }),
  EVENT({
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'input_json_delta', partial_json: '{"q":"a"}' },
  }),
  EVENT({ type: 'content_block_stop', index: 1 }),
].join('')
const END =
  EVENT({
    type: 'message_delta',
    delta: { stop_reason: 'tool_use' },
    usage: { output_tokens: 9 },
  }) + EVENT({ type: 'message_stop' })

let database: Awaited<ReturnType<typeof startTcpProxy>>
let gateway: Awaited<ReturnType<typeof startModelGateway>>
/** Each gives the next answer of the provider. */
const answers: ((res: ServerResponse) => void)[] = []
let asked = 0

beforeAll(async () => {
  database = await startTcpProxy(await freshDatabaseUrl())
  const url = await startRawProvider((res) => {
    asked += 1
    answers.shift()?.(res)
  })
  gateway = await startModelGateway(url, { databaseUrl: database.url })
})

/** Asks for a stream; `middle` runs while the provider waits between its thinking and its call. */
async function askAround(baseUrl: string, middle: () => unknown, call = CALL) {
  const begun = new Promise<ServerResponse>((resolve) => answers.push(resolve))
  const asking = sendMessage(baseUrl, { stream: true })
  const res = await begun
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  res.write(START + THINKING)
  await middle()
  res.end(call + END)
  await once(res, 'close')
  return asking
}

describe('a database that is away', () => {
  it('before the request: 503 in the shape of the provider, which is not asked', async () => {
    const { baseUrl } = await gateway.newAgent()
    database.disconnect()
    const before = asked
    const refused = await sendMessage(baseUrl, { stream: true })
    database.reconnect()
    expect(refused.status).toBe(503)
    expect(JSON.parse(refused.text)).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error' },
    })
    expect(asked).toBe(before)
    await eventually(async () => {
      const { status } = await askAround(baseUrl, () => undefined)
      expect(status).toBe(200)
    })
  })

  it('in the middle: an error event and no call, under fail_closed', async () => {
    const { agentId, baseUrl } = await gateway.newAgent()
    const { text } = await askAround(baseUrl, database.disconnect)
    database.reconnect()
    expect(text).toContain(START + THINKING)
    expect(text).not.toContain('call_search')
    expect(text).toContain('event: error')
    await eventually(async () => expect(await gateway.decisionsOf(agentId)).toEqual([]))
  })

  it('in the middle: the call, byte for byte, under fail_open; recorded afterwards', async () => {
    const { agentId, baseUrl } = await gateway.newAgent({ connection: { on_error: 'fail_open' } })
    const { text } = await askAround(baseUrl, database.disconnect)
    database.reconnect()
    expect(text).toBe(START + THINKING + CALL + END)
    await eventually(async () => {
      expect(await gateway.usageOf(agentId)).toMatchObject({ turns: 1, ungoverned: 1 })
    })
    await eventually(async () => {
      const [checkpoint] = await gateway.checkpointsOf(agentId)
      const path = `/v1/checkpoints/${checkpoint?.checkpoint_id}`
      expect((await gateway.call('GET', path)).analysis_metadata).toMatchObject({
        ungoverned: true,
      })
    })
  })

  it('before a whole answer: the answer, in mode observe; recorded afterwards', async () => {
    const { agentId, baseUrl } = await gateway.newAgent({ connection: { mode: 'observe' } })
    const body = JSON.stringify({
      type: 'message',
      model: 'mock-large',
      content: [{ type: 'tool_use', id: 'call_search', name: 'search', input: {} }],
    })
    answers.push((res) => {
      database.disconnect()
      res.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
    expect(await sendMessage(baseUrl)).toMatchObject({ status: 200, text: body })
    database.reconnect()
    await eventually(async () => {
      expect(await gateway.usageOf(agentId)).toMatchObject({ turns: 1, ungoverned: 1 })
    })
  })

  it('does not hold up a turn without calls, which is recorded afterwards', async () => {
    const { agentId, baseUrl } = await gateway.newAgent()
    const { text } = await askAround(baseUrl, database.disconnect, '')
    database.reconnect()
    expect(text).toBe(START + THINKING + END)
    await eventually(async () => {
      expect(await gateway.usageOf(agentId)).toMatchObject({ turns: 1 })
    })
  })
})

describe('an agent that is archived while its model answers', () => {
  it.each(['fail_closed', 'fail_open'])('gets no call, under %s', async (onError) => {
    const { agentId, baseUrl } = await gateway.newAgent({ connection: { on_error: onError } })
    const { text } = await askAround(baseUrl, () => gateway.call('DELETE', `/v1/agents/${agentId}`))
    expect(text).not.toContain('call_search')
    expect(text).toContain('event: error')
  })
})
