import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { eventually } from '#harness/eventually.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

let t: TestApp
let org: string
let key: string
/** An API key of another organisation. */
let foreign: string

const must = async (method: string, path: string, body?: unknown) => {
  const answer = await t.call(method, path, { token: key, ...(body === undefined ? {} : { body }) })
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body
}

const standings = (query: string, token = key) =>
  t.call('GET', `/v1/orgs/${org}/agent-standings${query}`, { token })
const setup = (token = key) => t.call('GET', `/v1/orgs/${org}/setup`, { token })

beforeAll(async () => {
  t = await testApp()
  org = t.first.org_id
  key = t.first.api_key
  foreign = await otherOrgKey(t)
})

describe('/v1/orgs/{org_id}/setup', () => {
  it('200: nothing is done in a new organisation, although its owner is a member', async () => {
    expect((await setup()).body).toEqual({
      agent: false,
      decision: false,
      policy: false,
      colleague: false,
      webhook: false,
    })
  })

  it('404: another organisation', async () => {
    expect((await setup(foreign)).status).toBe(404)
  })
})

describe('/v1/orgs/{org_id}/agent-standings', () => {
  beforeAll(async () => {
    await must('POST', '/v1/agents', { agent_id: 'calm', name: 'Calm', card: CARD })
    await must('POST', '/v1/agents', { agent_id: 'wild', name: 'Wild', card: CARD })
    await must('PUT', '/v1/agents/wild/policy', {
      meta: { schema_version: '1.0', name: 'wild', scope: 'agent' },
      forbidden: [{ pattern: 'drop_table', reason: 'Keep the data', severity: 'high' }],
      defaults: { enforcement_mode: 'enforce' },
    })
    await eventually(async () => {
      const call = { agent_id: 'wild', tool: 'drop_table' }
      expect((await must('POST', '/v1/gateway/decide', call)).decision).toBe('block')
    })
    for (const number of [1, 2, 3, 4]) {
      await must('POST', '/v1/checkpoints/batch', {
        checkpoints: [
          { agent_id: 'wild', session_id: 'night', thinking: textOf(number, VIOLATION) },
          { agent_id: 'calm', session_id: 'day', thinking: textOf(number + 10, '') },
        ],
      })
    }
    // The range ends before now.
    t.clock.advance(1)
  })

  it('200: counts blocked calls, violations and open drift alerts', async () => {
    const { body } = await standings('?sort=violations')
    expect(body.agents.map((one: { agent_id: string }) => one.agent_id)).toEqual(['wild', 'calm'])
    const [wild, calm] = body.agents
    expect(wild).toMatchObject({ name: 'Wild', score: null, grade: 'NR', violations: 4, weeks: [] })
    expect(wild.blocked).toBeGreaterThan(0)
    expect(wild.drift_alerts).toBe(1)
    expect(calm).toMatchObject({ blocked: 0, violations: 0, drift_alerts: 0 })
    expect(body).toMatchObject({ total: 2, is_partial: false })
    expect(body.totals).toEqual({ blocked: wild.blocked, violations: 4, drift_alerts: 1 })
  })

  it('200: only agents with a finding, and only those that match', async () => {
    const found = async (query: string) =>
      (await standings(query)).body.agents.map((one: { name: string }) => one.name)
    expect(await found('?with=blocked')).toEqual(['Wild'])
    expect(await found('?q=cal')).toEqual(['Calm'])
    expect(await found('?status=paused')).toEqual([])
    expect(await found('?per_page=1&page=2')).toEqual(['Wild'])
  })

  it('200: an earlier range has none of them', async () => {
    const { body } = await standings(
      '?from=2026-01-01T00:00:00Z&to=2026-01-03T00:00:00Z&interval=day',
    )
    expect(body.totals).toEqual({ blocked: 0, violations: 0, drift_alerts: 1 })
  })

  it('400, 404: a range that ends before it begins, another organisation', async () => {
    const query = '?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z'
    expect((await standings(query)).status).toBe(400)
    expect((await standings('', foreign)).status).toBe(404)
  })

  it('ticks the steps that are done', async () => {
    await eventually(async () =>
      expect((await setup()).body).toMatchObject({ agent: true, decision: true, policy: true }),
    )
  })

  it('counts violations by type, and lists those of one type', async () => {
    const read = async (path: string) => (await t.call('GET', path, { token: key })).body
    const { types } = await read('/v1/agents/wild/violation-types')
    expect(types).toEqual([
      {
        type: 'FORBIDDEN_ACTION',
        count: 4,
        boundary_violations: 4,
        reclassified: 0,
        sessions: 1,
        last_at: expect.any(String),
      },
    ])
    const path = '/v1/agents/wild/violations'
    expect((await read(`${path}?type=FORBIDDEN_ACTION`)).total).toBe(4)
    expect((await read(`${path}?type=MISSED_ESCALATION`)).total).toBe(0)
    expect((await read(`${path}?to=2026-01-01T00:00:00Z`)).total).toBe(0)
    expect((await read('/v1/agents/wild/violation-types?to=2026-01-01T00:00:00Z')).types).toEqual(
      [],
    )
  })

  it('acknowledges several drift alerts at once, or none', async () => {
    const path = '/v1/agents/wild/drift'
    const { alerts } = (await t.call('GET', path, { token: key })).body
    const ids = alerts.map((alert: { alert_id: string }) => alert.alert_id)
    const acknowledge = (alert_ids: string[], token = key, agent = 'wild') =>
      t.call('POST', `/v1/agents/${agent}/drift/acknowledge`, { token, body: { alert_ids } })
    expect((await acknowledge([...ids, 'ida-unknown'])).status).toBe(404)
    expect((await acknowledge(ids, key, 'calm')).status).toBe(404)
    expect((await acknowledge(ids, foreign)).status).toBe(404)
    expect((await acknowledge([])).status).toBe(400)
    const done = await acknowledge(ids)
    expect(done).toMatchObject({ status: 200, body: { alerts: [{ status: 'resolved' }] } })
    expect((await acknowledge(ids)).body.alerts).toEqual([])
    expect((await standings('')).body.totals.drift_alerts).toBe(0)
  })
})

describe('/v1/orgs/{org_id}/audit-log/export', () => {
  const read = (query: string, token = key) =>
    t.call('GET', `/v1/orgs/${org}/audit-log/export${query}`, { token })

  it('200: all entries that match, as CSV and as NDJSON', async () => {
    const { body } = await t.call('GET', `/v1/orgs/${org}/audit-log?per_page=100`, { token: key })
    const lines = (await read('')).text.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual(
      body.entries.map(({ id }: { id: string }) => id).sort(),
    )
    const csv = (await read('?format=csv&action=policy.updated')).text
    expect(csv.split('\r\n')[0]).toMatch(/^id,org_id,action,actor/)
    expect(csv.match(/policy\.updated/g)).toHaveLength(1)
  })

  it('404: another organisation', async () => {
    expect((await read('', foreign)).status).toBe(404)
  })
})

describe('an address that does not exist', () => {
  it('is a page for browsers, and JSON for programs', async () => {
    const open = (url: string, accept: string) => t.call('GET', url, { headers: { accept } })
    const page = await open('/no-such-page', 'text/html,application/xhtml+xml')
    expect(page.status).toBe(404)
    expect(page.headers['content-type']).toMatch(/^text\/html/)
    expect(page.text).toContain('<div id="root">')
    expect((await open('/no-such-page', 'application/json')).body.error).toMatch(/^No such path/)
    expect((await open('/v1/nothing', 'text/html')).body.error).toMatch(/^No such path/)
  })
})
