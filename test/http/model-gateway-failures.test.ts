import { beforeAll, describe, expect, it, vi } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'

let t: TestApp
let provider: PlannedProvider
let service: string
let owner: string

beforeAll(async () => {
  provider = await startPlannedProvider()
  const { url } = provider
  t = await testApp({
    env: {
      MODEL_GATEWAY_UPSTREAMS: JSON.stringify({
        anthropic: url,
        openai: url,
        gemini: url,
        openai_compatible: [url],
      }),
    },
  })
  service = await t.app.server.listen({ host: '127.0.0.1', port: 0 })
  onFileFinished(() => t.app.server.server.closeAllConnections())
  owner = await t.ownerToken()
})

let agents = 0

async function newAgent(connection: object) {
  agents += 1
  const agentId = `agent-${agents}`
  await t.call('POST', '/v1/agents', { token: owner, body: { agent_id: agentId } })
  const path = `/v1/agents/${agentId}/connections`
  const { token } = (await t.call('POST', path, { token: owner, body: connection })).body
  return { agentId, token: String(token) }
}

const policyOf = (parts: object) => ({
  meta: { schema_version: '1.1', name: 'Rules', scope: 'agent' },
  capability_mappings: {},
  forbidden: [{ pattern: 'drop_*', reason: 'No tables are dropped', severity: 'critical' }],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
  ...parts,
})

const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${service}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
const message = (stream = false) => ({
  model: 'mock-large',
  max_tokens: 100,
  stream,
  messages: [{ role: 'user', content: 'Hi' }],
})
const ask = (token: string, stream = false) =>
  post(`/llm/${token}/anthropic/v1/messages`, message(stream))

const search = { tool: 'search', input: { q: 'a' }, id: 'call_search' }
const decisionsOf = async (agentId: string) =>
  (await t.call('GET', `/v1/decisions?agent_id=${agentId}`, { token: owner })).body.decisions

describe('a failure of the gateway during a stream', () => {
  /** The agent is archived while its model answers, so that its call cannot be decided. */
  async function failing(onError: string) {
    const { agentId, token } = await newAgent({ provider: 'anthropic', on_error: onError })
    provider.plan(async () => {
      await t.call('DELETE', `/v1/agents/${agentId}`, { token: owner })
      return { parts: [{ text: 'Searching.' }, search] }
    })
    return ask(token, true)
  }

  it('ends the stream with an error event, under fail_closed', async () => {
    const { text } = await failing('fail_closed')
    expect(text).not.toContain('call_search')
    expect(text).toContain('event: error')
    expect(text).toContain('Touchstone failed to judge a tool call')
  })

  it.each([
    ['text that has no UTF-8', { type: 'custom', custom: { name: 'note', input: '\ud800' } }],
    [
      'numbers that grow',
      { function: { name: 'sum', arguments: `{"a":[${Array(60_000).fill('1e20').join()}]}` } },
    ],
  ])('is not %s, which would release the turn under fail_open', async (_, odd) => {
    const connected = await newAgent({ provider: 'openai', on_error: 'fail_open' })
    const { agentId, token } = connected
    const body = policyOf({})
    await t.call('PUT', `/v1/agents/${agentId}/policy`, { token: owner, body })
    const dangerous = { id: 'b', function: { name: 'drop_table', arguments: '{}' } }
    const calls = [{ id: 'a', ...odd }, dangerous]
    const choices = [{ index: 0, message: { tool_calls: calls }, finish_reason: 'tool_calls' }]
    const bytes = JSON.stringify({ choices })
    provider.plan({ status: 200, headers: { 'content-type': 'application/json' }, bytes })
    const asked = { model: 'mock-large', messages: [{ role: 'user', content: 'Hi' }] }
    const answered = await post(`/llm/${token}/openai/v1/chat/completions`, asked)
    expect(answered.status).toBe(200)
    expect(answered.text).toContain('Touchstone blocked drop_table')
    expect(answered.text).not.toContain('"tool_calls":[')
  })
})

describe('the end of a provider in the middle of a call', () => {
  it.each(['close', 'half_event', 'end', 'error_event'] as const)(
    'by %s releases no part of the call',
    async (failure) => {
      const { agentId, token } = await newAgent({ provider: 'anthropic' })
      provider.plan({ parts: [{ text: 'Go.' }, search], pauseMs: 10, failsAfter: 6, failure })
      const { text } = await ask(token, true)
      expect(text).not.toContain('tool_use')
      expect(text).toContain('event: error')
      expect(await decisionsOf(agentId)).toEqual([])
    },
  )
})

describe('an answer without end', () => {
  it('of 100 MB without a line feed ends with an error, in bounded memory', async () => {
    const { token } = await newAgent({ provider: 'anthropic' })
    const bytes = Buffer.alloc(100 * 1024 * 1024, 'x')
    provider.plan({ status: 200, headers: { 'content-type': 'text/event-stream' }, bytes })
    const before = process.memoryUsage().rss
    const { text } = await ask(token, true)
    expect(text).toContain('event: error')
    expect(text.length).toBeLessThan(10_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
  })

  it('that is not streamed is refused above 32 MB', async () => {
    const { token } = await newAgent({ provider: 'anthropic' })
    const bytes = Buffer.alloc(33 * 1024 * 1024, ' ')
    provider.plan({ status: 200, headers: { 'content-type': 'application/json' }, bytes })
    expect((await ask(token)).status).toBe(502)
  })
})

describe('a budget', () => {
  const model_limits = [{ name: 'daily', models: ['mock-*'], max_turns: 2, per: 'day' }]

  it('refuses the turn after it is used up, until its window ends', async () => {
    const { agentId, token } = await newAgent({ provider: 'anthropic' })
    const path = `/v1/agents/${agentId}/policy`
    await t.call('PUT', path, { token: owner, body: policyOf({ model_limits }) })
    provider.plan({ parts: [{ text: 'Hello.' }] })
    const statuses = [await ask(token), await ask(token, true), await ask(token)]
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 403])
    expect(JSON.parse(statuses[2]?.text ?? '').error.message).toContain('agent/daily')
    const other = await post(`/llm/${token}/anthropic/v1/messages`, {
      ...message(),
      model: 'other-1',
    })
    expect(other.status).toBe(200)
    t.clock.advance(24 * 60 * 60 * 1000)
    owner = await t.ownerToken()
    expect((await ask(token)).status).toBe(200)
  })

  it('of tokens counts input and output', async () => {
    const { agentId, token } = await newAgent({ provider: 'anthropic' })
    const limits = [{ name: 'tokens', models: ['*'], max_tokens: 200, per: 'month' }]
    const path = `/v1/agents/${agentId}/policy`
    await t.call('PUT', path, { token: owner, body: policyOf({ model_limits: limits }) })
    provider.plan({ parts: [{ text: 'Hello.' }] })
    expect((await ask(token)).status).toBe(200)
    expect((await ask(token)).status).toBe(200)
    expect((await ask(token)).status).toBe(403)
  })

  it('that warns is named in a header', async () => {
    const { agentId, token } = await newAgent({ provider: 'anthropic' })
    const limits = [{ ...model_limits[0], max_turns: 1, action: 'warn' }]
    const path = `/v1/agents/${agentId}/policy`
    await t.call('PUT', path, { token: owner, body: policyOf({ model_limits: limits }) })
    provider.plan({ parts: [{ text: 'Hello.' }] })
    expect((await ask(token)).headers.get('x-touchstone-budget')).toBeNull()
    const second = await ask(token)
    expect(second.status).toBe(200)
    expect(second.headers.get('x-touchstone-budget')).toBe('agent/daily')
  })
})

describe('a conversation that the provider keeps', () => {
  it('gets the output of a refused call, and keeps its session', async () => {
    const { agentId, token } = await newAgent({ provider: 'openai' })
    const path = `/v1/agents/${agentId}/policy`
    await t.call('PUT', path, { token: owner, body: policyOf({}) })
    provider.plan({ parts: [{ tool: 'drop_all', input: {}, id: 'call_drop' }], id: 'first' })
    const url = `/llm/${token}/openai/v1/responses`
    const first = await post(url, { model: 'mock-large', input: 'Drop all.' })
    expect(first.text).not.toContain('call_drop')
    const { id } = JSON.parse(first.text)
    provider.plan({ parts: [{ text: 'Fine.' }], id: 'second' })
    const second = await post(url, {
      model: 'mock-large',
      previous_response_id: id,
      input: 'And now?',
    })
    expect(second.status).toBe(200)
    expect(second.headers.get('x-touchstone-session')).toBe(
      first.headers.get('x-touchstone-session'),
    )
    const sent = JSON.stringify(provider.requests[0]?.body['input'])
    expect(sent).toContain('function_call_output')
    expect(sent).toContain('call_drop')
    expect(sent).toContain('Touchstone blocked drop_all')
  })
})

describe('another server', () => {
  it('gives relayed evidence', async () => {
    const { agentId, token } = await newAgent({
      provider: 'openai_compatible',
      upstream_url: `${provider.url}/api`,
    })
    provider.plan({ parts: [{ text: 'word '.repeat(150) }] })
    const answered = await post(`/llm/${token}/openai_compatible/v1/chat/completions`, {
      model: 'mock-large',
      messages: [{ role: 'user', content: 'Hi' }],
    })
    expect(answered.status).toBe(200)
    expect(provider.requests[0]?.url).toBe('/api/v1/chat/completions')
    const id = answered.headers.get('x-touchstone-checkpoint')
    await expect
      .poll(async () => (await t.call('GET', `/v1/checkpoints/${id}`, { token: owner })).body)
      .toMatchObject({ agent_id: agentId, provenance: 'relayed' })
  })
})

describe('the token', () => {
  it('is in no log line, no metric and no answer', async () => {
    const { token } = await newAgent({ provider: 'anthropic' })
    const { log, metrics } = t.app.kernel
    const lines: unknown[] = []
    for (const level of ['info', 'warn', 'error'] as const) {
      vi.spyOn(log, level).mockImplementation((...line: unknown[]) => void lines.push(line))
    }
    provider.plan({ parts: [search] })
    const answers = [
      await ask(token),
      await ask(token, true),
      await post(`/llm/${token}/openai/v1/responses`, {}),
      await post(`/llm/${token}/anthropic//v1/messages`, {}),
      await post(`/llm/${token}/${token}/v1/messages`, {}),
      await post(`/llm/anthropic/v1/${token}`, {}, { 'x-touchstone-token': token }),
      await post(`/llm//${token}/anthropic/v1/messages`, {}),
      await post(`//llm/${token}/anthropic/v1/messages`, {}),
      await post(`/llm/${token.slice(0, -1)}/anthropic/v1/messages`, {}),
    ]
    provider.plan({ close: true })
    answers.push(await ask(token))
    vi.restoreAllMocks()
    const told = answers.map(({ text, headers }) => text + JSON.stringify([...headers])).join()
    const written = JSON.stringify(lines) + (await metrics.registry.metrics()) + told
    expect(lines.length).toBeGreaterThanOrEqual(8)
    expect(JSON.stringify(lines)).toContain('/llm/[token]/anthropic/v1/messages')
    expect(written).not.toContain(token.slice(4, 20))
  })
})
