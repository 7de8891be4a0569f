import Anthropic from '@anthropic-ai/sdk'
import { expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'
import { textOf, VIOLATION } from '#harness/checkpoints.ts'
import { eventually } from '#harness/eventually.ts'
import { startPlannedProvider } from '#harness/mock-provider.ts'
import { sendMessage, startModelGateway } from '#harness/model-gateway.ts'

const AGENT = 'observed-desk'
const POLICY = {
  meta: { schema_version: '1.1', name: 'Desk', scope: 'agent' },
  capability_mappings: { all: { tools: ['search'], card_actions: ['search'] } },
  forbidden: [{ pattern: 'shell_*', reason: 'No shell', severity: 'critical' }],
  defaults: { enforcement_mode: 'enforce', grace_period_hours: 0 },
}

it('a conversation leaves observed checkpoints, decisions with outcomes, and usage', async () => {
  const mock = await startPlannedProvider()
  const upstreams = JSON.stringify({ anthropic: mock.url })
  const t = await testApp({ env: { MODEL_GATEWAY_UPSTREAMS: upstreams } })
  const url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
  const token = t.first.api_key
  const get = async (path: string) => (await t.call('GET', path, { token })).body
  await t.call('POST', '/v1/agents', { token, body: { agent_id: AGENT } })
  await t.call('PUT', `/v1/agents/${AGENT}/policy`, { token, body: POLICY })
  const connection = await t.call('POST', `/v1/agents/${AGENT}/connections`, {
    token: await t.ownerToken(),
    body: { provider: 'anthropic' },
  })
  const baseURL = url + new URL(connection.body.base_url).pathname
  const client = new Anthropic({ apiKey: 'key', baseURL, maxRetries: 0 })
  const headers = { 'x-touchstone-session': 'chat-7' }
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Where is parcel 7?' }]
  const say = () =>
    client.messages.stream({ model: 'mock-large', max_tokens: 999, messages }, { headers })

  mock.plan(
    { id: 'a', parts: [{ thinking: textOf(1) }, { tool: 'search', input: { order: 7 } }] },
    { id: 'b', parts: [{ thinking: textOf(2) }, { tool: 'shell_run', input: { command: 'ls' } }] },
  )
  const first = await say().finalMessage()
  const call = first.content.find((block) => block.type === 'tool_use')
  messages.push(
    { role: 'assistant', content: first.content },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'In the depot' }],
    },
  )
  const second = await say().finalMessage()
  expect(second.stop_reason).toBe('end_turn')

  await eventually(async () => {
    const observed = { provenance: 'observed', session_id: 'chat-7' }
    const found = await get(`/v1/agents/${AGENT}/checkpoints?session_id=chat-7`)
    expect(found.checkpoints).toMatchObject([observed, observed])
  })
  const { decisions } = await get(`/v1/decisions?agent_id=${AGENT}`)
  expect(decisions).toMatchObject([
    { tool: 'shell_run', decision: 'block', source: 'model_gateway' },
    { tool: 'search', decision: 'allow', call_id: call?.id, outcome: { status: 'executed' } },
  ])
  await eventually(async () => {
    expect(await get(`/v1/agents/${AGENT}/model-usage`)).toMatchObject({
      days: [{ model: 'mock-large', turns: 2, input_tokens: 240, tool_calls: 2, blocked: 1 }],
    })
  })
})

it('an agent that sends many checkpoints does not keep its turns from being recorded', async () => {
  const mock = await startPlannedProvider()
  const gateway = await startModelGateway(mock.url, { env: { RATE_LIMITS: 'on' } })
  const { agentId, baseUrl } = await gateway.newAgent()
  const checkpoints = Array.from({ length: 50 }, () => ({ agent_id: agentId, thinking: 'Short.' }))
  const send = () => gateway.call('POST', '/v1/checkpoints/batch', { checkpoints })
  const sent = await Promise.all(Array.from({ length: 13 }, send))
  expect(sent.reduce((sum, { rejected }) => sum + rejected, 0)).toBe(50)

  mock.plan({ parts: [{ thinking: textOf(1, VIOLATION) }, { tool: 'search', input: {} }] })
  const { text } = await sendMessage(baseUrl)
  // The analysis of the thinking before the call has no limit of its own either.
  expect(text).toContain('Touchstone blocked search')
  await eventually(async () => {
    const path = `/v1/agents/${agentId}/checkpoints?session_id=s1`
    expect((await gateway.call('GET', path)).checkpoints).toMatchObject([
      { provenance: 'observed', verdict: 'boundary_violation' },
    ])
  })
})
