import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

const POLICY = {
  meta: { schema_version: '1.1', name: 'shop', scope: 'agent' },
  escalation_triggers: [
    { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds are for people' },
  ],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
}

const [TRIGGER] = POLICY.escalation_triggers

let t: TestApp
let owner: string
let foreign: { key: string; decisionId: string; escalationId: string; cursor: string }

/** Registers an agent whose refunds need approval, and asks for one refund. */
async function escalated(agentId: string, token: string) {
  const of = { token, body: { agent_id: agentId } }
  expect((await t.call('POST', '/v1/agents', of)).status).toBe(201)
  const put = await t.call('PUT', `/v1/agents/${agentId}/policy`, { token, body: POLICY })
  expect(put.status, put.text).toBe(200)
  const call = { agent_id: agentId, tool: 'refund', arguments: { amount: 60 } }
  const { body } = await t.call('POST', '/v1/gateway/decide', { token, body: call })
  expect(body.decision).toBe('escalate')
  const page = await t.call('GET', '/v1/decisions?limit=1', { token })
  return {
    key: token,
    decisionId: String(body.decision_id),
    escalationId: String(body.escalation_id),
    cursor: String(page.body.next_cursor),
  }
}

beforeAll(async () => {
  t = await testApp()
  owner = await t.ownerToken()
  await escalated('bad-input', t.first.api_key)
  const key = await otherOrgKey(t)
  await escalated('foreign-first', key)
  foreign = await escalated('foreign', key)
})

/** How much is stored of everything that a decision may cause. */
async function stored() {
  const { rows } = await sql`select
    (select count(*)::int from decision) as decisions,
    (select count(*)::int from decision where outcome_at is not null) as outcomes,
    (select count(*)::int from decision_batch) as batches,
    (select count(*)::int from escalation) as escalations,
    (select count(*)::int from escalation where status = 'pending') as pending,
    (select count(*)::int from policy_version) as policies,
    (select count(*)::int from approval_channel) as channels,
    (select count(*)::int from event) as events`.execute(t.app.kernel.db)
  return rows[0]
}

const CALL = { agent_id: 'bad-input', tool: 'search' }
const UNKNOWN = `dec-${randomUUID()}`
const decide = (body: object) => ['POST', '/v1/gateway/decide', { ...CALL, ...body }] as const
const policy = (trigger: object) =>
  [
    'PUT',
    '/v1/agents/bad-input/policy',
    { ...POLICY, escalation_triggers: [{ ...TRIGGER, ...trigger }] },
  ] as const
const channels = (body: object) =>
  ['PUT', `/v1/orgs/${t.first.org_id}/approval-channels`, { email: [], ...body }] as const

type Request = readonly [method: string, path: string, body?: object]

describe('bad input about decisions is refused, and nothing is stored', () => {
  it.each<[string, () => Request, number, object]>([
    ['an unknown agent', () => decide({ agent_id: 'nobody' }), 404, { error: 'agent_not_found' }],
    [
      "another organisation's agent",
      () => decide({ agent_id: 'foreign' }),
      404,
      { error: 'agent_not_found' },
    ],
    [
      'an unknown escalation',
      () => decide({ escalation_id: 'esc-none' }),
      404,
      { error: 'not_found' },
    ],
    [
      "another organisation's escalation",
      () => decide({ escalation_id: foreign.escalationId }),
      404,
      { error: 'not_found' },
    ],
    [
      'a resolution of it',
      () => ['POST', `/v1/escalations/${foreign.escalationId}/resolve`, { outcome: 'approve' }],
      404,
      { error: 'not_found' },
    ],
    ['an unknown decision', () => ['GET', `/v1/decisions/${UNKNOWN}`], 404, { error: 'not_found' }],
    [
      "another organisation's decision",
      () => ['GET', `/v1/decisions/${foreign.decisionId}`],
      404,
      { error: 'not_found' },
    ],
    [
      'an outcome of it',
      () => ['POST', `/v1/decisions/${foreign.decisionId}/outcome`, { status: 'executed' }],
      404,
      { error: 'not_found' },
    ],
    [
      'a batch of outcomes with it',
      () => [
        'POST',
        '/v1/decisions/outcomes',
        { outcomes: [{ decision_id: foreign.decisionId, status: 'executed' }] },
      ],
      200,
      { results: [{ decision_id: expect.any(String), status: 'not_found' }] },
    ],
    [
      'arguments of more than 1 MB',
      () => decide({ arguments: { text: 'x'.repeat(1024 * 1024) } }),
      400,
      { details: [{ path: '/arguments', code: 'too_large' }] },
    ],
    [
      'a justification of 2,001 characters',
      () => decide({ justification: 'x'.repeat(2001) }),
      400,
      { details: [{ path: '/justification' }] },
    ],
    [
      "another organisation's cursor",
      () => ['GET', `/v1/decisions?cursor=${encodeURIComponent(foreign.cursor)}`],
      400,
      { error: 'invalid_request' },
    ],
    [
      'a forged cursor',
      () => ['GET', `/v1/decisions?cursor=${encodeURIComponent(`${foreign.cursor}x`)}`],
      400,
      { error: 'invalid_request' },
    ],
    [
      'a policy whose trigger denies and has an approval',
      () => policy({ action: 'deny', approval: { required: 2 } }),
      422,
      { details: [{ path: '/escalation_triggers/0/approval', code: 'conflicting_approval' }] },
    ],
    [
      'a policy with an approval of no role',
      () => policy({ approval: { roles: [] } }),
      422,
      {
        details: [{ path: '/escalation_triggers/0/approval/roles', code: 'conflicting_approval' }],
      },
    ],
    [
      'a Slack address that is not https',
      () => channels({ slack_webhook_url: 'http://hooks.slack.example/a' }),
      400,
      { message: expect.stringMatching(/^slack_webhook_url: /) },
    ],
    [
      'a Teams address without a host',
      () => channels({ teams_webhook_url: 'https://' }),
      400,
      { message: expect.stringMatching(/^teams_webhook_url: /) },
    ],
  ])('%s', async (_name, request, status, body) => {
    const before = await stored()
    const [method, path, sent] = request()
    const token =
      path.includes('/orgs/') || path.includes('/escalations/') ? owner : t.first.api_key
    const answer = await t.call(method, path, { token, ...(sent && { body: sent }) })
    expect(answer, answer.text).toMatchObject({ status, body })
    await t.settle()
    expect(await stored()).toEqual(before)
  })
})
