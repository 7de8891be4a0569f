import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

const AGENT = 'claude-desk'
const POLICY = {
  meta: { schema_version: '1.1', name: 'Desk', scope: 'agent' },
  capability_mappings: {
    desk: { tools: ['Read', 'Ask', 'AskHere'], card_actions: ['search'] },
  },
  forbidden: [{ pattern: 'Bash', reason: 'No shell', severity: 'critical' }],
  escalation_triggers: [
    { condition: "tool == 'Ask'", action: 'escalate', reason: 'Ask a person' },
    {
      condition: "tool == 'AskHere'",
      action: 'escalate',
      reason: 'Ask the user',
      approval: { local: true },
    },
  ],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow', grace_period_hours: 0 },
}

let t: TestApp
let url: string
let key: string
let observing: string

const api = async (method: string, path: string, body?: unknown) =>
  (await t.call(method, path, { token: t.first.api_key, body })).body

const createKey = async (fields: object) =>
  (
    await t.call('POST', '/v1/api-keys', {
      token: await t.ownerToken(),
      body: { name: 'k', role: 'member', scopes: ['decide', 'ingest'], client: 'hook', ...fields },
    })
  ).body.key

beforeAll(async () => {
  t = await testApp()
  await api('POST', '/v1/agents', { agent_id: AGENT })
  await api('PUT', `/v1/agents/${AGENT}/policy`, POLICY)
  key = await createKey({ agent_id: AGENT })
  observing = await createKey({ agent_id: AGENT, mode: 'observe' })
  url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
})

type Hook = { tool?: string; event?: string; id?: string; args?: unknown; more?: object }

const claude = ({ tool = 'Bash', event = 'PreToolUse', id, args = {}, more }: Hook = {}) => ({
  session_id: 's1',
  transcript_path: '/t',
  cwd: '/w',
  hook_event_name: event,
  tool_name: tool,
  tool_input: args,
  ...(id !== undefined && { tool_use_id: id }),
  ...more,
})

const post = (body: unknown, { token = key, client = 'claude-code' } = {}) =>
  t.call('POST', `/v1/hooks/${client}`, { token, body })

const postRaw = async (body: string, token = key) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/v1/hooks/claude-code`, { method: 'POST', headers, body })
  return { status: answer.status, body: await answer.text() }
}

const decisions = async (filter: string) => (await api('GET', `/v1/decisions?${filter}`)).decisions

describe('POST /v1/hooks/{client}', () => {
  it('refuses a forbidden call and stores the decision as one of a hook', async () => {
    const answer = await post(claude({ id: 'toolu_1' }))
    expect(answer.status).toBe(200)
    expect(answer.body.hookSpecificOutput).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: 'Refused by Touchstone: No shell.',
    })
    expect(await decisions('call_id=toolu_1')).toMatchObject([
      { tool: 'Bash', decision: 'block', source: 'hook', client: 'claude-code', session_id: 's1' },
    ])
  })

  it('answers an allowed call with nothing, and stores its outcome', async () => {
    expect((await post(claude({ tool: 'Read', id: 'toolu_2' }))).body).toEqual({})
    const more = { tool_response: 'x', duration_ms: 12 }
    const after = await post(claude({ tool: 'Read', id: 'toolu_2', event: 'PostToolUse', more }))
    expect(after.body).toEqual({})
    expect(await decisions('call_id=toolu_2')).toMatchObject([
      { decision: 'allow', outcome: { status: 'executed', duration_ms: 12, bypassed: false } },
    ])
  })

  it('finds the decision of a client without call ids by its arguments', async () => {
    const call = (args: object) => ({
      sessionId: 's2',
      timestamp: 1,
      toolName: 'view',
      toolArgs: args,
    })
    await post(call({ path: 'a' }), { client: 'copilot-cli' })
    await post(call({ path: 'b' }), { client: 'copilot-cli' })
    await post({ ...call({ path: 'a' }), error: 'no such file' }, { client: 'copilot-cli' })
    const found = await decisions('session_id=s2')
    expect(found.map(({ outcome }: { outcome: object }) => outcome)).toMatchObject([
      null,
      { status: 'failed', error: 'no such file' },
    ])
  })

  it('reports a call that was made although it was refused as a bypass', async () => {
    await post(claude({ id: 'toolu_3' }))
    await post(claude({ id: 'toolu_3', event: 'PostToolUse' }))
    expect(await decisions('call_id=toolu_3')).toMatchObject([{ outcome: { bypassed: true } }])
  })

  it('asks the user only where the policy lets them answer', async () => {
    const remote = (await post(claude({ tool: 'Ask' }))).body.hookSpecificOutput
    expect(remote.permissionDecision).toBe('deny')
    expect(remote.permissionDecisionReason).toMatch(/http\S+\/approvals\/esc-/)
    const local = (await post(claude({ tool: 'AskHere' }))).body.hookSpecificOutput
    expect(local.permissionDecision).toBe('ask')
    const { escalations } = await api('GET', '/v1/escalations')
    const byTool = escalations.map((one: { tool: string; local: boolean }) => [one.tool, one.local])
    expect(Object.fromEntries(byTool)).toEqual({ Ask: false, AskHere: true })
  })

  it('lets an equal call through once a person has approved it', async () => {
    const call = claude({ tool: 'Ask', args: { to: 'x' } })
    const reason = (await post(call)).body.hookSpecificOutput.permissionDecisionReason
    const [escalationId] = /esc-[0-9a-f-]+/.exec(reason) ?? []
    await t.call('POST', `/v1/escalations/${escalationId}/resolve`, {
      token: await t.ownerToken(),
      body: { outcome: 'approve' },
    })
    expect((await post(call)).body).toEqual({})
  })

  it('never denies for a key of mode observe', async () => {
    const answer = await post(claude(), { token: observing })
    expect(answer.body).toEqual({ systemMessage: expect.stringContaining('would have stopped') })
    expect((await postRaw('no json', observing)).body).not.toContain('deny')
  })

  it.each(['no json', '', '[]', '{}', '{"hook_event_name":"PreToolUse"}', '{"a":1,"a":2}'])(
    'answers unreadable input %j with a denial',
    async (body) => {
      const answer = await postRaw(body)
      expect(answer.status).toBe(200)
      expect(JSON.parse(answer.body)).toMatchObject({
        hookSpecificOutput: { permissionDecision: 'deny' },
      })
    },
  )

  it('denies a call whose arguments have more than 1 MB', async () => {
    const answer = await postRaw(JSON.stringify(claude({ args: { text: 'x'.repeat(1_100_000) } })))
    expect(answer.status).toBe(200)
    expect(answer.body).toContain('unreadable_arguments')
    expect(answer.body).toContain('"permissionDecision":"deny"')
  })

  it('denies input of more than 6.5 MB, which some clients would take for a failed hook', async () => {
    const body = JSON.stringify(claude({ tool: 'Read', more: { padding: 'x'.repeat(7_000_000) } }))
    const answer = await postRaw(body)
    expect(answer.status).toBe(200)
    expect(answer.body).toContain('unreadable_arguments')
    expect(answer.body).toContain('"permissionDecision":"deny"')
    const observed = await postRaw(body, observing)
    expect(observed.body).toContain('unreadable_arguments')
    expect(observed.body).not.toContain('deny')
    expect((await postRaw(body, 'tsk_unknown')).status).toBe(401)
    expect((await postRaw(`"${'x'.repeat(33 * 1024 * 1024)}"`)).status).toBe(413)
  })

  it('denies a call with a number that would be rounded, and reads one in a result', async () => {
    const call = JSON.stringify(claude({ tool: 'Read', args: { to: 'account' } }))
    const number = '9007199254740993'
    const answer = await postRaw(call.replace('"account"', number))
    expect(answer.status).toBe(200)
    expect(answer.body).toContain('unreadable_arguments')
    expect(answer.body).toContain('"permissionDecision":"deny"')
    const made = call.replace('PreToolUse', 'PostToolUse').replace('"account"', '"x"')
    const result = made.replace(/}$/, `,"tool_response":{"id":${number}}}`)
    expect((await postRaw(result)).body).toBe('{}')
  })

  it('denies calls of a key without an agent, and of a paused agent', async () => {
    const unbound = await createKey({})
    const denied = await post(claude({ tool: 'Read' }), { token: unbound })
    expect(denied.body.hookSpecificOutput.permissionDecisionReason).toContain('not bound')
    await api('POST', '/v1/agents', { agent_id: 'paused-desk' })
    const paused = await createKey({ agent_id: 'paused-desk' })
    await api('POST', `/v1/orgs/${t.first.org_id}/agents/paused-desk/pause`, { reason: 'Test' })
    const answer = await post(claude({ tool: 'Read' }), { token: paused })
    expect(answer.status).toBe(200)
    expect(answer.body.hookSpecificOutput?.permissionDecision).toBe('deny')
  })

  it('requires a key with the scope decide, and a client that sends hooks', async () => {
    expect((await t.call('POST', '/v1/hooks/claude-code', { body: {} })).status).toBe(401)
    const reader = await createKey({ scopes: ['read'] })
    expect((await post(claude(), { token: reader })).status).toBe(403)
    expect((await post(claude(), { client: 'windsurf' })).status).toBe(404)
  })
})
