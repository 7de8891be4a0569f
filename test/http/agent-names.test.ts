import { agentIdSkeleton, canonicalAgentId } from '@touchstone/protocol/identifiers'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

let t: TestApp
let key: string
let foreign: string

beforeAll(async () => {
  t = await testApp()
  key = t.first.api_key
  foreign = await otherOrgKey(t)
})

const call = (method: string, url: string, body?: object, token = key) =>
  t.call(method, url, { token, ...(body === undefined ? {} : { body }) })
const register = (agentId: string, token = key) =>
  call('POST', '/v1/agents', { agent_id: agentId }, token)
const statusAndCode = ({ status, body }: { status: number; body: { error?: string } }) => [
  status,
  body.error,
]

describe('a new agent id', () => {
  it('that differs from another organisation’s by case or look-alikes is refused: 409 similar_id', async () => {
    expect((await register('Support-Bot.1')).status).toBe(201)
    for (const similar of ['support-bot.1', 'Supp0rt-Bot.1', 'support_bot-l', 'SUPPORT.BOT.I']) {
      const refused = await register(similar, foreign)
      expect(statusAndCode(refused), similar).toEqual([409, 'similar_id'])
      expect(refused.text).not.toContain('Support-Bot.1')
      expect(refused.text).not.toContain(t.first.org_id)
    }
    expect(statusAndCode(await register('Support-Bot.1', foreign))).toEqual([409, 'conflict'])
  })

  it('may look like one of the same organisation, but not differ from it only by case', async () => {
    expect((await register('worker-1')).status).toBe(201)
    expect((await register('worker-l')).status).toBe(201)
    expect(statusAndCode(await register('Worker-1'))).toEqual([409, 'conflict'])
  })

  it('is refused if it looks like one that was erased', async () => {
    expect((await register('gone-agent')).status).toBe(201)
    const confirm = { confirm: 'GONE-agent' }
    const due = await call('POST', '/v1/agents/gone-AGENT/erase', confirm, await t.ownerToken())
    expect(due.status, due.text).toBe(202)
    t.clock.advance(31 * 86_400_000)
    await t.app.kernel.lifecycle.purge(t.clock.now(), () => undefined)
    expect((await call('GET', '/v1/agents/gone-agent', undefined, foreign)).status).toBe(404)
    expect(statusAndCode(await register('gone-agent', foreign))).toEqual([409, 'conflict'])
    expect(statusAndCode(await register('Gone-Agent', foreign))).toEqual([409, 'conflict'])
    expect(statusAndCode(await register('g0ne.agent', foreign))).toEqual([409, 'similar_id'])
  })

  it('registered at once in similar forms by two organisations exists once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all([
        register(`race-${round}-o`, key),
        register(`RACE-${round}-0`, foreign),
        register(`race.${round}.O`, foreign),
        register(`race_${round}_0`, key),
      ])
      const made = answers.filter(({ status }) => status === 201)
      const orgs = new Set(made.map(({ body }) => body.agent.org_id))
      expect(orgs.size).toBe(1)
      for (const one of answers) expect([201, 409]).toContain(one.status)
    }
  })
})

describe('an agent', () => {
  const card = {
    principal: { type: 'human', relationship: 'delegated_authority' },
    values: { declared: ['honesty'] },
    autonomy_envelope: { bounded_actions: ['search'], escalation_triggers: [] },
    audit_commitment: { retention_days: 30, queryable: false },
  }

  beforeAll(async () => {
    await call('POST', '/v1/agents', { agent_id: 'Mixed-Case', card })
    await call('POST', '/v1/agents', { agent_id: 'second-agent', card })
  })

  it('is found by its id in another case, and keeps the id that was given', async () => {
    for (const id of ['mixed-case', 'MIXED-CASE', 'Mixed-Case']) {
      for (const path of ['', '/card', '/integrity', '/enforcement', '/checkpoints']) {
        const answer = await call('GET', `/v1/agents/${id}${path}`)
        expect(answer.status, `${id}${path}`).toBe(200)
        if (answer.body.agent_id !== undefined) expect(answer.body.agent_id).toBe('Mixed-Case')
      }
      expect((await t.call('GET', `/v1/reputation/${id}`)).body.agent_id).toBe('Mixed-Case')
    }
    expect((await call('GET', '/v1/agents/mixed_case')).status).toBe(404)
  })

  it('is found in bodies, lists and queries, and evidence is stored under its id', async () => {
    const action = { type: 'execute', name: 'search', category: 'bounded' }
    const decision = { selected: 'a', selection_reasoning: 'It fits.', values_applied: [] }
    const trace = { agent_id: 'MIXED-case', action, decision }
    expect((await call('POST', '/v1/traces', trace)).body.agent_id).toBe('Mixed-Case')
    const batch = await call('POST', '/v1/traces/batch', { traces: [trace] })
    expect(batch.body.accepted).toBe(1)
    expect((await call('POST', '/v1/traces/verify', { trace })).status).toBe(200)
    const thinking = 'The customer asked when the parcel arrives. '.repeat(20)
    const items = [{ agent_id: 'mixed-CASE', thinking }]
    const stored = await call('POST', '/v1/checkpoints/batch', { checkpoints: items })
    expect(stored.body.results[0].status).toBe('created')
    const decided = await call('POST', '/v1/gateway/decide', {
      agent_id: 'mixed-case',
      tool: 'search',
    })
    expect(decided.status, decided.text).toBe(200)
    const calls = [{ agent_id: 'MIXED-case', tool: 'search' }]
    const many = await call('POST', '/v1/gateway/decide/batch', { calls })
    expect(many.status, many.text).toBe(200)
    const pair = { agent_a: 'mixed-case', agent_b: 'SECOND-agent' }
    expect((await call('POST', '/v1/coherence/check', pair)).body).toMatchObject({
      agent_a: 'Mixed-Case',
      agent_b: 'second-agent',
    })
    const team = { org_id: t.first.org_id, name: 'Case', agent_ids: ['mixed-case', 'Second-Agent'] }
    const made = await call('POST', '/v1/teams', team, await t.ownerToken())
    expect(made.status, made.text).toBe(201)
    const members = made.body.members.map((one: { agent_id: string }) => one.agent_id)
    expect(members.sort()).toEqual(['Mixed-Case', 'second-agent'])
    const compared = await call('GET', '/v1/reputation/compare?agent_ids=mixed-case,SECOND-AGENT')
    expect(compared.status, compared.text).toBe(200)
    const listed = await call('GET', '/v1/traces?agent_id=MIXED-CASE')
    expect(listed.body.total).toBe(2)
    const replaced = { ...card, agent_id: 'mixed-case' }
    const put = await call('PUT', '/v1/agents/MIXED-case/card', replaced)
    expect(put.status, put.text).toBe(200)
    expect((await t.call('GET', '/v1/agents/mixed-case/card')).body.card_json.agent_id).toBe(
      'Mixed-Case',
    )
    const rows = await sql<{ ids: string[] }>`select array_agg(distinct agent_id) as ids from (
      select agent_id from trace union all select agent_id from checkpoint
      union all select agent_id from team_member) as used
      where lower(agent_id) = 'mixed-case'`.execute(t.app.kernel.db)
    expect(rows.rows[0]?.ids).toEqual(['Mixed-Case'])
  })

  it('of a key that is bound to it is the same agent in every case', async () => {
    const wanted = { agent_id: 'MIXED-CASE', scopes: ['read'] }
    const made = await call('POST', '/v1/api-keys', wanted, await t.ownerToken())
    expect(made.body).toMatchObject({ agent_id: 'Mixed-Case' })
    const bound = made.body.key
    expect((await call('GET', '/v1/agents/mixed-CASE/card', undefined, bound)).status).toBe(200)
    expect((await call('GET', '/v1/traces?agent_id=mixed-case', undefined, bound)).status).toBe(200)
    const other = await call('GET', '/v1/traces?agent_id=second-agent', undefined, bound)
    expect(other.status).toBe(404)
  })

  it('of version 0.1 that equals another in canonical form is found by its exact id', async () => {
    await register('twin-agent')
    await sql`insert into agent (agent_id, org_id, name, visibility, status, enforcement_mode,
        metadata, claim_verifier, card_id, card_version, created_at, updated_at, archived_with_org)
      select 'Twin-Agent', 'org-of-others', 'Other', 'public', status, enforcement_mode, metadata,
        claim_verifier, card_id, card_version, created_at, updated_at, archived_with_org
      from agent where agent_id = 'twin-agent'`.execute(t.app.kernel.db)
    t.clock.advance(61_000)
    expect((await call('GET', '/v1/agents/twin-agent')).body.agent_id).toBe('twin-agent')
    expect((await call('GET', '/v1/agents/Twin-Agent')).body.agent_id).toBe('Twin-Agent')
    expect((await call('GET', '/v1/agents/TWIN-AGENT')).status).toBe(404)
    expect(statusAndCode(await register('TWIN-agent'))).toEqual([409, 'conflict'])
  })

  it('has the same canonical form and skeleton in the database as in the protocol', async () => {
    const unit = fc.constantFrom(
      ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-',
    )
    const ids = fc.sample(fc.string({ unit, minLength: 3, maxLength: 128 }), 500)
    ids.push('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz', '0123456789._:-')
    const distinct = [...new Set(ids)].map((id) => `X${id}`.slice(0, 128))
    const { db } = t.app.kernel
    const found = await sql<{ agent_id: string; canonical_id: string; skeleton: string }>`
      with made as (insert into agent (agent_id, org_id, name, visibility, status, enforcement_mode,
          metadata, claim_verifier, card_id, card_version, created_at, updated_at)
        select id, 'org-named', id, 'private', 'archived', 'observe', '{}', 'v', 'ac', 1, now(), now()
        from (select distinct unnest(${distinct}::text[]) as id) as given returning *)
      select agent_id, canonical_id, skeleton from made`.execute(db)
    expect(found.rows.length).toBeGreaterThan(400)
    for (const row of found.rows) {
      expect(row.canonical_id).toBe(canonicalAgentId(row.agent_id))
      expect(row.skeleton).toBe(agentIdSkeleton(row.agent_id))
    }
    await sql`delete from agent where org_id = 'org-named'`.execute(db)
  })
})
