import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
const REFUND = 'mcp__payment__refund'

type Document = Record<string, unknown>
type Vectors = {
  fixtures: { policies: Record<string, Document> }
  transaction_merge: {
    id: string
    title: string
    resolved_from: { org: string | null; agent: string | null }
    teams?: Document[]
    policy?: Document
    tools: string[]
    expected: {
      capability_mappings?: Document
      defaults?: Document
      errors: { tool: string; problem: string }[]
    }
  }[]
}

const VECTORS: Vectors = JSON.parse(
  readFileSync(new URL('../../vectors/policy/policy.json', import.meta.url), 'utf8'),
)

let t: TestApp
let key: string
let orgId: string
let agent: string
/** An API key of another organisation. */
let otherOrgKey: string
let count = 0

beforeAll(async () => {
  t = await testApp()
  key = t.first.api_key
  orgId = t.first.org_id
  const { token } = await t.newUser('stranger@example.com')
  await newOrg(token, 'strangers')
  otherOrgKey = (await t.call('POST', '/v1/api-keys', { token, body: {} })).body.key
})

async function newOrg(token: string, slug: string): Promise<void> {
  const created = await t.call('POST', '/v1/orgs', { token, body: { name: slug, slug } })
  expect(created.status).toBe(201)
}

beforeEach(async () => {
  count += 1
  agent = `txn-agent-${count}`
  const body = { agent_id: agent }
  expect((await t.call('POST', '/v1/agents', { token: key, body })).status).toBe(201)
})

const bodyOf = (given: object = {}) => ({
  agent_id: agent,
  description: 'Refund 1182',
  action_type: 'financial_operation',
  tools: [REFUND],
  ...given,
})
const create = (given: object = {}, headers = {}) =>
  t.call('POST', '/v1/transactions', { token: key, body: bodyOf(given), headers })
const begin = async (given: object = {}): Promise<string> => {
  const { status, body } = await create(given)
  expect(status).toBe(201)
  return body.transaction_id
}
const get = (id: string, token = key) => t.call('GET', `/v1/transactions/${id}`, { token })
const list = (query = '', token = key) => t.call('GET', `/v1/transactions${query}`, { token })
const complete = (id: string, token = key, headers = {}) =>
  t.call('POST', `/v1/transactions/${id}/complete`, { token, headers })
const remove = (id: string, token = key) => t.call('DELETE', `/v1/transactions/${id}`, { token })
/** Session tokens expire during some of these tests, so each call signs in again. */
const asOwner = async (method: string, url: string, body?: object) =>
  t.call(method, url, { token: await t.ownerToken(), body })
const setPlan = (plan_id: string) => asOwner('PUT', `/v1/admin/orgs/${orgId}/plan`, { plan_id })
const putPolicy = async (url: string, body: Document) => {
  expect((await t.call('PUT', url, { token: key, body })).status).toBe(200)
}

describe('creating a transaction', () => {
  it('returns it with every field, active for an hour by default', async () => {
    const { status, body } = await create()
    expect(status).toBe(201)
    const now = t.clock.now()
    const id = body.transaction_id
    expect(body).toEqual({
      transaction_id: expect.stringMatching(/^txn-[0-9a-f-]{36}$/),
      agent_id: agent,
      description: 'Refund 1182',
      action_type: 'financial_operation',
      status: 'active',
      tools: [REFUND],
      team_ids: [],
      merged_policy: {
        meta: { schema_version: '1.0', name: `transaction:${id}`, scope: 'transaction' },
        capability_mappings: {},
        forbidden: [],
        escalation_triggers: [],
        defaults: {
          unmapped_tool_action: 'warn',
          unmapped_severity: 'medium',
          fail_open: false,
          enforcement_mode: 'warn',
          grace_period_hours: 24,
        },
      },
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + HOUR_MS).toISOString(),
      completed_at: null,
    })
    expect((await get(id)).body).toEqual(body)
  })

  it.each([
    [0.5, HOUR_MS / 2],
    [0.001, 3600],
    [1e-12, 1],
    [24, DAY_MS],
  ])('lasts %d hours on request', async (duration_hours, ms) => {
    const { body } = await create({ duration_hours })
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(ms)
  })

  it('accepts one to a hundred tools and drops duplicates', async () => {
    const tools = Array.from({ length: 100 }, (_, n) => `tool_${n}`)
    expect((await create({ tools })).body.tools).toEqual(tools)
    expect((await create({ tools: ['b', 'a', 'b'] })).body.tools).toEqual(['b', 'a'])
  })

  it.each([
    'financial_operation',
    'financial_transaction',
    'data_access',
    'data_modification',
    'content_generation',
    'communication',
    'code_execution',
    'tool_invocation',
    'task_delegation',
    'autonomous_operation',
    'multi_agent_coordination',
  ])('can be for %s', async (action_type) => {
    expect((await create({ action_type })).body.action_type).toBe(action_type)
  })

  it.each<[string, object]>([
    ['an unsupported action_type', { action_type: 'gardening' }],
    ['no action_type', { action_type: undefined }],
    ['no agent', { agent_id: undefined }],
    ['no description', { description: undefined }],
    ['an empty description', { description: '' }],
    ['a description of 501 characters', { description: 'x'.repeat(501) }],
    ['no tools', { tools: undefined }],
    ['0 tools', { tools: [] }],
    ['101 tools', { tools: Array.from({ length: 101 }, (_, n) => `tool_${n}`) }],
    ['tools that are not a list', { tools: REFUND }],
    ['a tool that is not a string', { tools: [1] }],
    ['an empty tool', { tools: [''] }],
    ['a tool with a space', { tools: ['a b'] }],
    ['a tool of 257 characters', { tools: ['x'.repeat(257)] }],
    ['a duration of 0', { duration_hours: 0 }],
    ['a negative duration', { duration_hours: -1 }],
    ['a duration of 24.0001', { duration_hours: 24.0001 }],
    ['a duration as text', { duration_hours: '1' }],
    ['an empty team_id', { team_id: '' }],
    ['a policy that is not an object', { policy: 'none' }],
    ['a policy with an unknown field', { policy: { forbiden: [] } }],
    ['a policy with an incomplete meta', { policy: { meta: { name: 'x' } } }],
  ])('is refused with %s: 400', async (_what, given) => {
    const { status, body } = await create(given)
    expect(status).toBe(400)
    expect(body.error).toBe('invalid_request')
    expect(body.details.length).toBeGreaterThan(0)
  })

  it('is refused if the body exceeds the size limit of a policy: 413', async () => {
    expect((await create({ ignored: 'x'.repeat(262_144) })).status).toBe(413)
  })

  it("is refused for an agent that is unknown or another organisation's: 404", async () => {
    const unknown = await create({ agent_id: 'nobody' })
    expect(unknown.status).toBe(404)
    expect(unknown.body.error).toBe('not_found')
    const call = { token: otherOrgKey, body: bodyOf() }
    const foreign = await t.call('POST', '/v1/transactions', call)
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual(unknown.body)
  })

  it('is refused for a team that does not exist: 404', async () => {
    const { status, body } = await create({ team_id: 'team-1' })
    expect(status).toBe(404)
    expect(body.error).toBe('not_found')
  })

  it('is refused for an archived agent: 409', async () => {
    await asOwner('DELETE', `/v1/agents/${agent}`)
    const { status, body } = await create()
    expect(status).toBe(409)
    expect(body.error).toBe('conflict')
  })

  it('happens once per Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'refund-1182' }
    const first = await create({}, headers)
    const second = await create({}, headers)
    expect(second.status).toBe(201)
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.body).toEqual(first.body)
    expect((await list(`?agent_id=${agent}`)).body.total).toBe(1)
    expect((await create({ tools: ['other'] }, headers)).status).toBe(422)
  })
})

describe('merging', () => {
  const url = () => `/v1/agents/${agent}/policy`
  const fixture = (name: string | null) =>
    name === null ? undefined : VECTORS.fixtures.policies[name]

  it.each(VECTORS.transaction_merge.filter(({ teams }) => teams === undefined))(
    '$id: $title',
    async ({ resolved_from, policy, tools, expected }) => {
      const org = fixture(resolved_from.org)
      const own = fixture(resolved_from.agent)
      if (org !== undefined) await putPolicy(`/v1/orgs/${orgId}/policy`, org)
      if (own !== undefined) await putPolicy(url(), own)
      const { status, body } = await create({ tools, ...(policy === undefined ? {} : { policy }) })
      await t.call('DELETE', `/v1/orgs/${orgId}/policy`, { token: key })
      if (expected.errors.length > 0) {
        expect(status).toBe(422)
        expect(body.error).toBe('validation_error')
        expect(body.details).toMatchObject(
          expected.errors.map(({ tool, problem }) => ({
            path: `/tools/${tools.indexOf(tool)}`,
            code: problem,
          })),
        )
        return
      }
      expect(status).toBe(201)
      const merged = body.merged_policy
      expect(merged).toMatchObject({ meta: { scope: 'transaction' } })
      if (expected.capability_mappings) {
        expect(merged.capability_mappings).toMatchObject(expected.capability_mappings)
      }
      if (expected.defaults) expect(merged.defaults).toEqual(expected.defaults)
    },
  )

  it.each([
    ['*', 'invalid tool reference'],
    ['mcp__payment__?', 'invalid tool reference'],
  ])('refuses the pattern %s as a tool: 422', async (tool, beginning) => {
    const { status, body } = await create({ tools: [REFUND, tool] })
    expect(status).toBe(422)
    expect(body.error).toBe('validation_error')
    expect(body.message.startsWith(beginning)).toBe(true)
    expect(body.details).toMatchObject([{ path: '/tools/1', code: 'invalid_tool_reference' }])
  })

  it('refuses a tool that no layer maps if unmapped tools are blocked: 422', async () => {
    const policy = { defaults: { unmapped_tool_action: 'block' } }
    const { status, body } = await create({ policy })
    expect(status).toBe(422)
    expect(body.message).toMatch(/^invalid tool reference/)
  })

  it('refuses a tool that a blocking rule forbids or that no capability includes: 422', async () => {
    const rule = { pattern: 'mcp__payment__*', reason: 'No payments', severity: 'high' }
    const forbidden = await create({ policy: { forbidden: [rule] } })
    expect(forbidden.status).toBe(422)
    expect(forbidden.body.message).toMatch(/^policy merge conflict/)
    const mapping = (card_action: string) => ({
      pay: { tools: ['mcp__payment__*'], card_actions: [card_action] },
    })
    const meta = { schema_version: '1.0', name: 'pay', scope: 'agent' }
    await putPolicy(url(), { meta, capability_mappings: mapping('pay') })
    const narrowed = await create({ policy: { capability_mappings: mapping('other') } })
    expect(narrowed.status).toBe(422)
    expect(narrowed.body.message).toMatch(/^policy merge conflict/)
    expect((await create({ policy: { capability_mappings: mapping('pay') } })).status).toBe(201)
  })

  it('refuses a policy with contradictions, whatever scope it claims: 422', async () => {
    const rule = { pattern: 'a', reason: 'r', severity: 'low' }
    const { status, body } = await create({ policy: { forbidden: [rule, rule] } })
    expect(status).toBe(422)
    expect(body.details).toMatchObject([{ code: 'duplicate_rule' }])
    expect(body.details[0].path).toMatch(/^\/policy\/forbidden\//)
    const meta = { schema_version: '1.0', name: 'x', scope: 'team' }
    expect((await create({ policy: { meta, forbidden: [rule] } })).status).toBe(201)
  })

  it('keeps the policy of its creation, whatever the layers say later', async () => {
    const id = await begin()
    const { body: before } = await get(id)
    const meta = { schema_version: '1.0', name: 'strict', scope: 'agent' }
    await putPolicy(url(), { meta, defaults: { enforcement_mode: 'enforce' } })
    expect((await get(id)).body.merged_policy).toEqual(before.merged_policy)
  })
})

describe('the lifecycle of a transaction', () => {
  it('ends when it expires, to the millisecond', async () => {
    const id = await begin({ duration_hours: 0.5 })
    t.clock.advance(HOUR_MS / 2 - 1)
    expect((await get(id)).body.status).toBe('active')
    t.clock.advance(1)
    expect((await get(id)).body).toMatchObject({ status: 'expired', completed_at: null })
    const late = await complete(id)
    expect(late.status).toBe(409)
    expect(late.body.error).toBe('conflict')
  })

  it('ends when it is completed, once', async () => {
    const id = await begin()
    t.clock.advance(1000)
    const { status, body } = await complete(id)
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'completed', completed_at: t.clock.now().toISOString() })
    expect((await get(id)).body).toEqual(body)
    expect((await complete(id)).status).toBe(409)
    expect((await complete('txn-none')).status).toBe(404)
  })

  it('lets only one of many concurrent requests complete it', async () => {
    const id = await begin()
    const answers = await Promise.all(Array.from({ length: 6 }, () => complete(id)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, 409, 409, 409, 409, 409])
  })

  it('replays a completion for its Idempotency-Key', async () => {
    const id = await begin()
    const headers = { 'idempotency-key': 'done-1' }
    const first = await complete(id, key, headers)
    const second = await complete(id, key, headers)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body).toEqual(first.body)
  })

  it('ends with its deletion in any status: 204, then 404', async () => {
    const [active, completed, expired] = [
      await begin(),
      await begin(),
      await begin({ duration_hours: 0.001 }),
    ]
    await complete(completed)
    t.clock.advance(3600)
    for (const id of [active, completed, expired]) {
      const { status, text } = await remove(id)
      expect([status, text]).toEqual([204, ''])
      expect((await get(id)).status).toBe(404)
      const again = await remove(id)
      expect(again.status).toBe(404)
      expect(again.body.error).toBe('not_found')
    }
  })

  it('is recorded in the audit log without its description', async () => {
    const id = await begin()
    await complete(id)
    await remove(id)
    const { body } = await asOwner('GET', `/v1/orgs/${orgId}/audit-log?target=${id}`)
    const own = body.entries.filter(({ target }: { target: { id: string } }) => target.id === id)
    const actions = own.map(({ action }: { action: string }) => action).sort()
    expect(actions).toEqual(['transaction.completed', 'transaction.created', 'transaction.deleted'])
    expect(JSON.stringify(own)).not.toContain('1182')
  })
})

describe('a list of transactions', () => {
  it('is filtered by agent and status, newest first, without merged policies', async () => {
    const done = await begin()
    await complete(done)
    t.clock.advance(1000)
    const short = await begin({ duration_hours: 0.001 })
    t.clock.advance(3600)
    const active = await begin()
    const ids = async (query: string) => {
      const { status, body } = await list(`?agent_id=${agent}${query}`)
      expect(status).toBe(200)
      return body.transactions.map((item: { transaction_id: string }) => item.transaction_id)
    }
    expect(await ids('')).toEqual([active, short, done])
    expect(await ids('&status=active')).toEqual([active])
    expect(await ids('&status=expired')).toEqual([short])
    expect(await ids('&status=completed')).toEqual([done])
    const { merged_policy: _, ...facts } = (await get(active)).body
    expect((await list(`?agent_id=${agent}`)).body.transactions[0]).toEqual(facts)
    expect((await list('?agent_id=nobody')).body).toMatchObject({ transactions: [], total: 0 })
  })

  it('is paged', async () => {
    const ids = [await begin(), await begin(), await begin()].sort()
    const page = async (query: string) => (await list(`?agent_id=${agent}${query}`)).body
    const first = await page('&per_page=2')
    expect(first).toMatchObject({ total: 3, page: 1, per_page: 2 })
    const second = await page('&page=2&per_page=2')
    const all = [...first.transactions, ...second.transactions]
    expect(all.map(({ transaction_id }) => transaction_id)).toEqual(ids)
    expect(await page('&page=3&per_page=2')).toMatchObject({ transactions: [], total: 3 })
    expect(await page('&per_page=500')).toMatchObject({ per_page: 100 })
  })

  it.each(['?status=done', '?page=0', '?per_page=x'])('refuses %s: 400', async (query) => {
    expect((await list(query)).status).toBe(400)
  })
})

describe('callers', () => {
  it('of another organisation find, complete and delete nothing: 404', async () => {
    const id = await begin()
    const token = otherOrgKey
    for (const answer of [
      await get(id, token),
      await complete(id, token),
      await remove(id, token),
    ]) {
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual({ error: 'not_found', message: 'No such transaction.' })
    }
    expect((await list('', token)).body.total).toBe(0)
    expect((await get(id)).body.status).toBe('active')
  })

  it('of the organisation can read with any role, and change nothing as auditors: 403', async () => {
    const id = await begin()
    const auditor = await t.newUser(`auditor-${count}@example.com`, { orgId, role: 'auditor' })
    expect((await get(id, auditor.token)).status).toBe(200)
    expect((await list('', auditor.token)).status).toBe(200)
    expect((await complete(id, auditor.token)).status).toBe(403)
    expect((await remove(id, auditor.token)).status).toBe(403)
  })

  it('of several organisations act for the one that owns the transaction', async () => {
    const id = await begin()
    const member = await t.newUser(`member-${count}@example.com`, { orgId, role: 'member' })
    await newOrg(member.token, 'second')
    expect((await get(id, member.token)).status).toBe(200)
    expect((await complete(id, member.token)).status).toBe(200)
    expect((await list('', member.token)).status).toBe(400)
    await setPlan('plan-developer')
    const refused = await get(id, member.token)
    await setPlan('plan-enterprise')
    expect(refused.status).toBe(402)
    expect((await remove(id, member.token)).status).toBe(204)
  })
})

describe('a plan without intelligence', () => {
  it('has no transactions: 402', async () => {
    const id = await begin()
    for (const plan of ['plan-free', 'plan-developer']) {
      await setPlan(plan)
      const answers = [await create(), await list(), await get(id), await complete(id)]
      answers.push(await remove(id))
      for (const { status, body } of answers) {
        expect(status).toBe(402)
        expect(body.error).toBe('feature_required')
      }
    }
    await setPlan('plan-team')
    expect((await get(id)).status).toBe(200)
    await setPlan('plan-enterprise')
  })
})

describe('the retention of a transaction', () => {
  it('ends within an hour after it has been over for seven days', async () => {
    const id = await begin({ duration_hours: 24 })
    const done = await begin({ duration_hours: 24 })
    await complete(done)
    const hourly = async () => {
      await t.app.kernel.schedules.fireDue()
      await t.settle()
    }
    t.clock.advance(7 * DAY_MS)
    await hourly()
    expect([(await get(id)).status, (await get(done)).status]).toEqual([200, 404])
    t.clock.advance(DAY_MS + HOUR_MS)
    await hourly()
    expect((await get(id)).status).toBe(404)
  })

  it('ends with its agent', async () => {
    await begin()
    const asked = await asOwner('POST', `/v1/agents/${agent}/erase`, { confirm: agent })
    expect(asked.status).toBe(202)
    // Less than the seven days of retention, so that only the erasure can delete it.
    const { db } = t.app.kernel
    await sql`update agent set erase_after = ${t.clock.now()} where agent_id = ${agent}`.execute(db)
    t.clock.advance(DAY_MS)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    const left = await sql`select from agent_transaction where agent_id = ${agent}`.execute(db)
    expect(left.rows).toEqual([])
  })
})
