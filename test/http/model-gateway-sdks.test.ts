import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { eventually } from '#harness/eventually.ts'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { type Ask, MODEL_CLIENTS, type ModelClient } from '#harness/model-clients.ts'

const AGENT = 'sdk-caller'
const CARD = {
  principal: { type: 'organization', relationship: 'delegated_authority' },
  values: { declared: ['honesty'] },
  autonomy_envelope: { bounded_actions: ['look_up'] },
  audit_commitment: { retention_days: 90, queryable: false },
}
const POLICY = {
  meta: { schema_version: '1.1', name: 'Weather', scope: 'agent' },
  capability_mappings: { all: { tools: ['get_*', 'refund'], card_actions: ['look_up'] } },
  forbidden: [{ pattern: 'shell_*', reason: 'No shell', severity: 'critical' }],
  escalation_triggers: [
    { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds need approval' },
  ],
  defaults: { enforcement_mode: 'enforce', grace_period_hours: 0 },
}

const ALLOWED = {
  parts: [
    { thinking: 'Two cities, so two calls.' },
    { text: 'I will look that up.' },
    { tool: 'get_weather', input: { city: 'Oslo' } },
    { tool: 'get_weather', input: { city: 'Bergen' } },
  ],
}
const REFUSED = {
  parts: [
    { text: 'I will try.' },
    { tool: 'shell_run', input: { command: 'ls' } },
    { tool: 'get_weather', input: { city: 'Oslo' } },
  ],
}
const ONLY_REFUSED = { parts: [{ tool: 'shell_run', input: { command: 'ls' } }] }
const BLOCKED = /Touchstone blocked shell_run: No shell \(dec-[\w-]+\)/

/** How each API says that a turn ended without a tool call. */
const ENDS: Record<string, string> = {
  '@anthropic-ai/sdk': 'end_turn',
  'openai, chat completions': 'stop',
  'openai, responses': 'completed',
  '@google/genai': 'STOP',
  'ai with @ai-sdk/openai-compatible': 'stop',
}

let t: TestApp
let url: string
let mock: PlannedProvider
let owner: string

beforeAll(async () => {
  mock = await startPlannedProvider()
  const upstreams = {
    anthropic: mock.url,
    openai: mock.url,
    gemini: mock.url,
    openai_compatible: [mock.url],
  }
  t = await testApp({ env: { MODEL_GATEWAY_UPSTREAMS: JSON.stringify(upstreams) } })
  url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
  owner = await t.ownerToken()
  await addAgent(AGENT)
})

async function addAgent(agent_id: string): Promise<void> {
  const token = t.first.api_key
  await t.call('POST', '/v1/agents', { token, body: { agent_id, card: CARD } })
  await t.call('PUT', `/v1/agents/${agent_id}/policy`, { token, body: POLICY })
}

type Settings = { agent?: string; on_contained?: 'turn'; credential?: { sealed: string } }

const baseUrls = new Map<string, Promise<string>>()

/** The base URL of a connection with these settings, at the address that this service has. */
function connect({ provider }: ModelClient, settings: Settings = {}): Promise<string> {
  const key = JSON.stringify([provider, settings])
  const known = baseUrls.get(key) ?? createConnection(provider, settings)
  baseUrls.set(key, known)
  return known
}

async function createConnection(
  provider: ModelClient['provider'],
  { agent = AGENT, ...more }: Settings,
): Promise<string> {
  const upstream = provider === 'openai_compatible' ? { upstream_url: mock.url } : {}
  const body = { provider, ...upstream, ...more }
  const made = await t.call('POST', `/v1/agents/${agent}/connections`, { token: owner, body })
  expect(made.status, made.text).toBe(201)
  return url + new URL(made.body.base_url).pathname
}

const session = { 'x-touchstone-session': 'chat-1' }

describe.each(MODEL_CLIENTS)('$name through the gateway', (client) => {
  const straight = (ask: Omit<Ask, 'baseUrl'>) => client.ask({ ...ask, baseUrl: mock.url })

  describe.each([{ isStreamed: false }, { isStreamed: true }])('streamed: $isStreamed', (way) => {
    it('hears an allowed turn as the provider sent it', async () => {
      const baseUrl = await connect(client)
      mock.plan(ALLOWED)
      const expected = await straight(way)
      expect(expected.calls).toHaveLength(2)
      expect(await client.ask({ ...way, baseUrl })).toEqual(expected)
      const [direct, relayed] = mock.requests
      expect(relayed?.raw.equals(direct?.raw ?? Buffer.alloc(0))).toBe(true)
    })

    it('hears a text in place of a refused call, and keeps the other', async () => {
      const baseUrl = await connect(client)
      mock.plan(REFUSED)
      const heard = await client.ask({ ...way, baseUrl })
      expect(heard.text).toMatch(BLOCKED)
      expect(heard.calls).toEqual([{ name: 'get_weather', input: { city: 'Oslo' } }])
    })

    it('hears that the turn ended, if no call is left', async () => {
      const baseUrl = await connect(client)
      mock.plan(ONLY_REFUSED)
      const heard = await client.ask({ ...way, baseUrl })
      expect(heard.text).toMatch(BLOCKED)
      expect(heard).toMatchObject({ calls: [], stop: ENDS[client.name] })
    })

    it('gets a call that a person approves while it is held', async () => {
      const baseUrl = await connect(client)
      const input = { order: `${client.name} ${way.isStreamed}` }
      mock.plan({ parts: [{ tool: 'refund', input }] })
      const asked = client.ask({ ...way, baseUrl, headers: session })
      const query = `status=pending&agent_id=${AGENT}`
      await eventually(async () => {
        const { body } = await t.call('GET', `/v1/escalations?${query}`, { token: owner })
        const [pending] = body.escalations
        const path = `/v1/escalations/${pending?.escalation_id}/resolve`
        const approval = { token: owner, body: { outcome: 'approve' } }
        expect((await t.call('POST', path, approval)).status).toBe(200)
      })
      expect((await asked).calls).toEqual([{ name: 'refund', input }])
    })

    it('gets the errors of the provider', async () => {
      const baseUrl = await connect(client)
      mock.plan({ status: 429, message: 'Slow down, please' })
      const [direct, relayed] = await Promise.all(
        [mock.url, baseUrl].map((base) =>
          client.ask({ ...way, baseUrl: base }).catch((err: unknown) => String(err)),
        ),
      )
      expect(relayed).toContain('Slow down, please')
      expect(relayed).toBe(direct)
    })

    it('is refused or told so while the agent is contained', async () => {
      const agent = `contained-${client.name.replaceAll(/\W+/g, '-')}-${way.isStreamed}`
      await addAgent(agent)
      const refusing = await connect(client, { agent })
      const telling = await connect(client, { agent, on_contained: 'turn' })
      const paused = await t.call('POST', `/v1/orgs/${t.first.org_id}/agents/${agent}/pause`, {
        token: owner,
        body: {},
      })
      expect(paused.status, paused.text).toBe(200)
      mock.plan(ALLOWED)
      await expect(client.ask({ ...way, baseUrl: refusing })).rejects.toThrow(/paused/i)
      const told = await client.ask({ ...way, baseUrl: telling })
      expect(told).toMatchObject({ calls: [], stop: ENDS[client.name] })
      expect(told.text).toMatch(/paused/i)
      expect(mock.requests).toHaveLength(0)
    })

    it('is answered with a sealed key, which it does not have', async () => {
      const baseUrl = await connect(client, { credential: { sealed: 'sealed-key-1' } })
      mock.plan(ALLOWED)
      await client.ask({ ...way, baseUrl })
      const sent = JSON.stringify(mock.requests[0]?.headers)
      expect(sent).toContain('sealed-key-1')
      expect(sent).not.toContain('provider-key-1')
      expect(sent + mock.requests[0]?.url).not.toContain('tgw_')
    })
  })

  it('aborts the request to the provider when it leaves', async () => {
    const baseUrl = await connect(client)
    mock.plan({ ...ALLOWED, failure: 'hang', failsAfter: 2 })
    const leaving = new AbortController()
    const asked = client.ask({ baseUrl, isStreamed: true, signal: leaving.signal })
    await expect.poll(() => mock.requests.length).toBe(1)
    leaving.abort()
    await expect(asked).rejects.toThrow()
    expect(await mock.requests[0]?.completed).toBe(false)
  })

  it('never receives half a call of a stream that breaks off', async () => {
    const baseUrl = await connect(client)
    const parts = [{ tool: 'get_weather', input: { city: 'A city with a long name, in pieces' } }]
    mock.plan({ parts, failure: 'close', failsAfter: 4 })
    const heard = await client.ask({ baseUrl, isStreamed: true }).catch(() => undefined)
    // Gemini sends calls whole, so its stream has none after the cut.
    if (client.provider === 'gemini') return
    expect(heard?.calls ?? []).toEqual([])
  })

  it('accepts an unusual but valid stream', async () => {
    const baseUrl = await connect(client)
    mock.plan({ ...ALLOWED, crlf: true, pings: true, pieceBytes: 7 })
    const expected = await straight({ isStreamed: true })
    expect(await client.ask({ baseUrl, isStreamed: true })).toEqual(expected)
  })
})
