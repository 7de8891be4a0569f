import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

const DAY_MS = 86_400_000

let t: TestApp
let org: string
let key: string
/** An API key of another organisation. */
let foreign: string
let count = 0

beforeAll(async () => {
  t = await testApp()
  org = t.first.org_id
  key = t.first.api_key
  foreign = await otherOrgKey(t)
})

const CARD = {
  principal: { type: 'human', relationship: 'delegated_authority' },
  values: { declared: ['transparency', 'honesty', 'speed'] },
  autonomy_envelope: { bounded_actions: ['search', 'compare'] },
  audit_commitment: { retention_days: 30, queryable: false },
}

async function newAgent(): Promise<string> {
  count += 1
  const agentId = `drift-agent-${count}`
  const body = { agent_id: agentId, card: CARD }
  expect((await t.call('POST', '/v1/agents', { token: key, body })).status).toBe(201)
  return agentId
}

type Given = [
  type: string,
  category: string,
  name: string,
  values: string[],
  required: boolean,
  confidence: number,
]
/** The baseline of spec: evidence §5, and its anomalous trace. */
const BASELINE: Given[] = [
  ['recommend', 'bounded', 'search', ['transparency'], false, 0.9],
  ['recommend', 'bounded', 'search', ['transparency', 'honesty'], false, 0.8],
  ['recommend', 'bounded', 'compare', ['transparency'], false, 0.7],
]
const STRANGE: Given = ['execute', 'escalation_trigger', 'purchase', ['speed'], true, 0.4]
const USUAL: Given = ['recommend', 'bounded', 'search', ['transparency'], false, 0.9]

const trace = (agentId: string, given: Given, changes: object = {}) => {
  const [type, category, name, values, required, confidence] = given
  return {
    agent_id: agentId,
    action: { type, category, name },
    decision: {
      selected: 'a',
      selection_reasoning: 'It fits best.',
      values_applied: values,
      confidence,
    },
    escalation: { evaluated: true, required, reason: 'so it is' },
    ...changes,
  }
}

/** Posts the traces in order, one per second. */
async function postTraces(agentId: string, all: readonly Given[]): Promise<void> {
  for (const given of all) {
    t.clock.advance(1000)
    const body = trace(agentId, given)
    expect((await t.call('POST', '/v1/traces', { token: key, body })).status).toBe(201)
  }
}

async function openAlert(): Promise<{ agentId: string; alertId: string }> {
  const agentId = await newAgent()
  await postTraces(agentId, [...BASELINE, STRANGE, STRANGE, STRANGE])
  const { body } = await list(agentId)
  return { agentId, alertId: body.alerts[0].alert_id }
}

const list = (agentId: string, query = '', token = key) =>
  t.call('GET', `/v1/agents/${agentId}/drift${query}`, { token })
const acknowledge = (alertId: string, token = key) =>
  t.call('POST', `/v1/drift/${alertId}/acknowledge`, { token })

async function eventsOf(agentId: string) {
  const found = await sql<{ type: string; data: unknown }>`select type, data from event
    where type like 'drift.%' and data ->> 'agent_id' = ${agentId}
    order by created_at`.execute(t.app.kernel.db)
  return found.rows
}

describe('drift of traces', () => {
  it('opens an alert at the third anomalous trace of the example, announced once', async () => {
    const agentId = await newAgent()
    await postTraces(agentId, [...BASELINE, STRANGE, STRANGE])
    expect((await list(agentId)).body).toEqual({ alerts: [], total: 0, page: 1, per_page: 20 })
    await postTraces(agentId, [STRANGE])
    const { card_id: cardId } = (await t.call('GET', `/v1/agents/${agentId}`)).body
    const traces = await t.call('GET', `/v1/agents/${agentId}/traces`, { token: key })
    const newest = traces.body.traces[0]
    const { body } = await list(agentId)
    expect(body).toEqual({
      alerts: [
        {
          alert_id: expect.stringMatching(/^da-[0-9a-f-]{36}$/),
          agent_id: agentId,
          kind: 'trace',
          session_id: newest.context.session_id,
          card_id: cardId,
          status: 'open',
          severity: 'high',
          similarity: 0.0612,
          threshold: 0.3,
          sustained: 3,
          drift_direction: 'unknown',
          checkpoint_ids: [],
          trace_ids: [expect.any(String), expect.any(String), newest.trace_id],
          message: '3 consecutive traces resemble the baseline less than 0.3.',
          detected_at: newest.created_at,
          resolved_at: null,
          resolution: null,
          acknowledged_by: null,
        },
      ],
      total: 1,
      page: 1,
      per_page: 20,
    })
    await postTraces(agentId, [STRANGE])
    const longer = (await list(agentId)).body.alerts
    expect(longer).toMatchObject([{ alert_id: body.alerts[0].alert_id, sustained: 4 }])
    expect(await eventsOf(agentId)).toEqual([
      {
        type: 'drift.detected',
        data: {
          alert_id: body.alerts[0].alert_id,
          agent_id: agentId,
          session_id: newest.context.session_id,
          kind: 'trace',
          severity: 'high',
          drift_direction: 'unknown',
          similarity: 0.0612,
          sustained_checks: 3,
          message: body.alerts[0].message,
        },
      },
    ])
  })

  it('resolves itself after three traces like the baseline', async () => {
    const { agentId, alertId } = await openAlert()
    await postTraces(agentId, [USUAL, USUAL])
    expect((await list(agentId, '?status=open')).body.total).toBe(1)
    await postTraces(agentId, [USUAL])
    expect((await list(agentId)).body.alerts).toMatchObject([
      { alert_id: alertId, status: 'resolved', resolution: 'recovered', acknowledged_by: null },
    ])
    expect((await eventsOf(agentId)).at(-1)).toEqual({
      type: 'drift.resolved',
      data: {
        alert_id: alertId,
        agent_id: agentId,
        org_id: org,
        resolution: 'recovered',
        acknowledged_by: null,
      },
    })
  })

  it('opens one alert if the traces arrive concurrently', async () => {
    const agentId = await newAgent()
    await postTraces(agentId, BASELINE)
    t.clock.advance(1000)
    const created = await Promise.all(
      Array.from({ length: 8 }, () =>
        t.call('POST', '/v1/traces', { token: key, body: trace(agentId, STRANGE) }),
      ),
    )
    expect(created.map((one) => one.status)).toEqual(Array.from({ length: 8 }, () => 201))
    expect((await list(agentId)).body.alerts).toMatchObject([{ sustained: 8 }])
    expect(await eventsOf(agentId)).toHaveLength(1)
  })

  it('is not hidden by a different card name in each trace', async () => {
    const agentId = await newAgent()
    await postTraces(agentId, BASELINE)
    for (let n = 0; n < 3; n += 1) {
      t.clock.advance(1000)
      const body = trace(agentId, STRANGE, { card_id: `ac-made-up-${n}` })
      const created = await t.call('POST', '/v1/traces', { token: key, body })
      expect(created.body.verification.violations).toContain('CARD_MISMATCH')
    }
    const { card_id: cardId } = (await t.call('GET', `/v1/agents/${agentId}`)).body
    expect((await list(agentId)).body.alerts).toMatchObject([{ card_id: cardId, sustained: 3 }])
  })

  it('is judged separately for each card', async () => {
    const agentId = await newAgent()
    await postTraces(agentId, [...BASELINE, STRANGE, STRANGE])
    const body = { ...CARD, values: { declared: ['speed'] } }
    const put = await t.call('PUT', `/v1/agents/${agentId}/card`, { token: key, body })
    expect(put.body.updated).toBe(true)
    await postTraces(agentId, [STRANGE])
    expect((await list(agentId)).body.total).toBe(0)
  })

  it('is computed from stored features, without reading the full traces', async () => {
    const { agentId } = await openAlert()
    const stored = await sql<{ behaviour: object }>`select behaviour from trace
      where agent_id = ${agentId} order by occurred_at desc limit 1`.execute(t.app.kernel.db)
    expect(stored.rows).toEqual([
      {
        behaviour: {
          action: { type: 'execute', category: 'escalation_trigger', name: 'purchase' },
          values_applied: ['speed'],
          confidence: 0.4,
          escalation: { required: true },
          flags: [],
        },
      },
    ])
  })
})

describe('listing alerts', () => {
  it('returns the newest first, filtered by kind and status, in pages', async () => {
    const { agentId, alertId: first } = await openAlert()
    await postTraces(agentId, [USUAL, USUAL, USUAL, STRANGE, STRANGE, STRANGE])
    const all = (await list(agentId)).body.alerts
    expect(all).toMatchObject([{ status: 'open' }, { alert_id: first, status: 'resolved' }])
    const ids = async (query: string) =>
      (await list(agentId, query)).body.alerts.map((alert: { alert_id: string }) => alert.alert_id)
    expect(await ids('?status=resolved')).toEqual([first])
    expect(await ids('?kind=trace&status=open')).toEqual([all[0].alert_id])
    expect(await ids('?kind=integrity')).toEqual([])
    expect(await ids('?page=2&per_page=1')).toEqual([first])
  })

  it('answers 400 for an unknown filter value', async () => {
    const agentId = await newAgent()
    for (const query of ['?kind=x', '?status=acknowledged', '?page=0']) {
      expect(await list(agentId, query)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      })
    }
  })

  it('answers 401 without a credential, and others the same 404 as for an unknown agent', async () => {
    const agentId = await newAgent()
    expect((await t.call('GET', `/v1/agents/${agentId}/drift`)).status).toBe(401)
    const unknown = await list('agent-unknown')
    expect(unknown).toMatchObject({ status: 404, body: { error: 'agent_not_found' } })
    expect((await list(agentId, '', foreign)).body).toEqual(unknown.body)
  })
})

describe('acknowledging an alert', () => {
  it('resolves it, names the person behind the key, and is audited', async () => {
    const { agentId, alertId } = await openAlert()
    const [before] = (await list(agentId)).body.alerts
    t.clock.advance(1000)
    const answer = await acknowledge(alertId)
    const me = await t.call('GET', `/v1/orgs/${org}/members`, { token: key })
    const userId = me.body.members[0].user_id
    expect(answer).toMatchObject({
      status: 200,
      body: {
        ...before,
        status: 'resolved',
        resolved_at: t.clock.now().toISOString(),
        resolution: 'acknowledged',
        acknowledged_by: userId,
      },
    })
    expect((await list(agentId)).body.alerts).toEqual([answer.body])
    expect((await eventsOf(agentId)).at(-1)).toMatchObject({
      type: 'drift.resolved',
      data: { alert_id: alertId, org_id: org, acknowledged_by: userId },
    })
    const log = await t.call('GET', `/v1/orgs/${org}/audit-log?action=drift.acknowledged`, {
      token: key,
    })
    expect(log.body.entries[0]).toMatchObject({
      actor: { type: 'api_key' },
      target: { type: 'drift_alert', id: alertId },
      changes: { status: { from: 'open', to: 'resolved' } },
    })
  })

  it('silences the current streak, not the next one', async () => {
    const { agentId, alertId } = await openAlert()
    await acknowledge(alertId)
    await postTraces(agentId, [STRANGE])
    expect((await list(agentId)).body.alerts).toMatchObject([{ alert_id: alertId, sustained: 3 }])
    await postTraces(agentId, [USUAL, STRANGE, STRANGE, STRANGE])
    expect((await list(agentId, '?status=open')).body.total).toBe(1)
  })

  it('answers 409 if it is already resolved or its agent is archived', async () => {
    const { alertId } = await openAlert()
    await acknowledge(alertId)
    const conflict = { status: 409, body: { error: 'conflict' } }
    expect(await acknowledge(alertId)).toMatchObject(conflict)
    const archived = await openAlert()
    // Moving the clock expired the session token.
    const token = await t.ownerToken()
    await t.call('DELETE', `/v1/agents/${archived.agentId}`, { token })
    expect(await acknowledge(archived.alertId)).toMatchObject(conflict)
  })

  it('answers 404 alike for an unknown alert and another organisation’s', async () => {
    const { agentId, alertId } = await openAlert()
    const unknown = await acknowledge('da-unknown')
    expect(unknown).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect((await acknowledge(alertId, foreign)).body).toEqual(unknown.body)
    expect((await list(agentId, '?status=open')).body.total).toBe(1)
  })

  it('requires permission to submit evidence: 401 and 403 otherwise', async () => {
    const { alertId } = await openAlert()
    expect((await t.call('POST', `/v1/drift/${alertId}/acknowledge`)).status).toBe(401)
    const auditor = await t.newUser('auditor@example.com', { orgId: org, role: 'auditor' })
    expect((await acknowledge(alertId, auditor.token)).status).toBe(403)
  })

  it('works for a person of several organisations without naming one', async () => {
    const { alertId } = await openAlert()
    const person = await t.newUser('both@example.com', { orgId: org, role: 'member' })
    const second = { name: 'Second', slug: 'second-one' }
    expect((await t.call('POST', '/v1/orgs', { token: person.token, body: second })).status).toBe(
      201,
    )
    const answer = await acknowledge(alertId, person.token)
    expect(answer).toMatchObject({ status: 200, body: { acknowledged_by: person.userId } })
  })
})

describe('erasing an agent', () => {
  it('deletes its alerts', async () => {
    const { agentId, alertId } = await openAlert()
    const token = await t.ownerToken()
    const asked = await t.call('POST', `/v1/agents/${agentId}/erase`, {
      token,
      body: { confirm: agentId },
    })
    expect(asked.status).toBe(202)
    t.clock.advance(31 * DAY_MS)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    expect((await acknowledge(alertId)).status).toBe(404)
    const left = await sql<{ count: number }>`select count(*) from drift_alert
      where agent_id = ${agentId}`.execute(t.app.kernel.db)
    expect(left.rows).toEqual([{ count: 0 }])
  })
})
