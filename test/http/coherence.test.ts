import { verifyBundle } from '@touchstone/protocol/bundle'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_B } from '#harness/scores.ts'
import { CARDS, type TeamWorld, teamWorld } from '#harness/teams.ts'

let w: TeamWorld
let owner: string

beforeAll(async () => {
  w = await teamWorld()
  owner = await w.t.ownerToken()
})

const DAY_MS = 86_400_000

const check = (agent_a: unknown, agent_b: unknown, more: object = {}, token = w.key) =>
  w.call('POST', '/v1/coherence/check', { agent_a, agent_b, ...more }, token)
const fleet = (query = '', token = w.key) => w.get(`/v1/orgs/${w.org}/coherence${query}`, token)
const valuesCard = (declared: string[], conflicts_with: string[] = []) => ({
  ...CARDS.b,
  values: { declared, conflicts_with },
})
const withValues = async (declared: string[], conflicts: string[] = []) =>
  (await w.newAgents(1, { card: valuesCard(declared, conflicts) }))[0] ?? ''

/** Agents a, b and c of spec: risk §2.7, ordered by id. */
async function createThreeAgents(): Promise<string[]> {
  const ids: string[] = []
  for (const card of [CARDS.a, CARDS.b, CARDS.c]) ids.push(...(await w.newAgents(1, { card })))
  return ids
}

describe('POST /v1/coherence/check', () => {
  it("returns the numbers of the specification's examples", async () => {
    const first = await withValues(['benefit', 'transparency', 'minimal'], ['hype'])
    const second = await withValues(['benefit', 'transparency', 'fairness'])
    const third = await withValues(['benefit', 'transparency', 'hype'], ['minimal'])
    const half = await check(first, second)
    expect(half.status).toBe(200)
    expect(half.body).toEqual({
      agent_a: first,
      agent_b: second,
      score: 0.5,
      compatible: false,
      value_alignment: {
        matched: ['benefit', 'transparency'],
        unmatched: ['fairness', 'minimal'],
        conflicts: [],
      },
      checked_at: w.t.clock.now().toISOString(),
    })
    const required_values = ['benefit', 'transparency']
    const whole = await check(first, second, { required_values })
    expect(whole.body).toMatchObject({ score: 1, compatible: true })
    expect((await check(first, third)).body).toMatchObject({
      score: 0.375,
      compatible: false,
      value_alignment: {
        conflicts: [
          { declared_by: first, opposed_by: third, value: 'minimal' },
          { declared_by: third, opposed_by: first, value: 'hype' },
        ],
      },
    })
  })

  it('compares two agents that are the caller’s own or public, each with a card', async () => {
    const [a = '', b = ''] = await w.newAgents(2)
    const foreign = await w.newAgent({ agent_id: 'foreign-public' }, w.foreign)
    const hidden = await w.newAgent({ agent_id: 'hidden', visibility: 'private' }, w.foreign)
    expect((await check(a, foreign)).status).toBe(200)
    const unknown = await check(a, 'nobody')
    expect(unknown).toMatchObject({ status: 404, body: { error: 'agent_not_found' } })
    expect((await check(hidden, a)).body).toEqual(unknown.body)
    const wrong: [unknown, unknown, object?][] = [
      [a, a],
      [a, 7],
      ['', b],
      [a, undefined],
      [a, b, { required_values: [] }],
      [a, b, { required_values: Array.from({ length: 51 }, (_, n) => `v${n}`) }],
    ]
    for (const [one, other, more] of wrong) {
      const refused = await check(one, other, more)
      expect(refused).toMatchObject({ status: 422, body: { error: 'validation_error' } })
    }
    const torn = await w.t.call('POST', '/v1/coherence/check', {
      token: w.key,
      body: '{"agent_a":',
    })
    expect(torn).toMatchObject({ status: 422, body: { error: 'validation_error' } })
    const expires_at = new Date(w.t.clock.nowMs() + 1000).toISOString()
    const [expired = ''] = await w.newAgents(1, { card: { ...CARDS.a, expires_at } })
    w.t.clock.advance(1000)
    expect(await check(a, expired)).toMatchObject({
      status: 422,
      body: { error: 'validation_error' },
    })
  })

  it('requires the plan feature', async () => {
    const [a = '', b = ''] = await w.newAgents(2)
    const setPlan = (plan_id: string) =>
      w.call('PUT', `/v1/admin/orgs/${w.org}/plan`, { plan_id, status: 'active' }, owner)
    await setPlan('plan-developer')
    expect(await check(a, b)).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    await setPlan('plan-team')
    expect((await check(a, b)).status).toBe(200)
    expect((await fleet()).status).toBe(403)
    await setPlan('plan-enterprise')
  })
})

describe('GET /v1/orgs/{org_id}/coherence', () => {
  it('returns the numbers of the example, and caches them for five minutes regardless of changes', async () => {
    const [a = '', b = '', c = ''] = await createThreeAgents()
    const query = `?agent_ids=${c},%20${a},${b},${a}`
    const { status, body, headers } = await fleet(query)
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('private, max-age=300')
    expect(body).toMatchObject({
      org_id: w.org,
      cached: false,
      computed_at: w.t.clock.now().toISOString(),
      agent_count: 3,
      pair_count: 3,
      agents_without_card: [],
      fleet_score: 0.5233,
      min_pair_score: 0.32,
      max_pair_score: 0.75,
    })
    expect(body.pairwise_matrix).toEqual([
      { agent_a: a, agent_b: b, score: 0.5, compatible: false, matched: 2, conflicts: 0 },
      { agent_a: a, agent_b: c, score: 0.32, compatible: false, matched: 2, conflicts: 2 },
      { agent_a: b, agent_b: c, score: 0.75, compatible: true, matched: 3, conflicts: 0 },
    ])
    const means = body.agent_summaries.map((one: { mean_score: number }) => one.mean_score)
    expect(means).toEqual([0.41, 0.625, 0.535])
    expect(body.outliers).toMatchObject([
      {
        agent_id: a,
        agent_mean_score: 0.41,
        deviation: 1.2855,
        primary_conflicts: ['data_hoarding', 'privacy'],
      },
    ])
    const clusters = body.clusters.map((one: { agent_ids: string[] }) => one.agent_ids)
    expect(clusters).toEqual([[a], [b, c]])
    expect(body.divergence_report[0]).toMatchObject({
      value: 'data_hoarding',
      agents_declaring: [c],
      agents_missing: [a, b],
      agents_conflicting: [a],
      impact_on_fleet_score: 1,
    })
    const card = valuesCard(['accuracy'])
    await w.t.call('PUT', `/v1/agents/${a}/card`, { token: w.key, body: card })
    w.t.clock.advance(299_999)
    const kept = await fleet(`?agent_ids=${a},${b},${c}`)
    expect(kept.body).toEqual({ ...body, cached: true })
    w.t.clock.advance(1)
    const fresh = await fleet(query)
    expect(fresh.body).toMatchObject({ cached: false })
    expect(fresh.body.fleet_score).not.toBe(0.5233)
  })

  it('lists pairs for up to 50 agents, or on request for up to 200', async () => {
    const agents = await w.newAgents(51)
    const ids = agents.join(',')
    expect((await fleet(`?agent_ids=${ids}`)).body.pairwise_matrix).toBeUndefined()
    const shown = await fleet(`?agent_ids=${ids}&include=pairwise`)
    expect(shown.body.pairwise_matrix).toHaveLength((51 * 50) / 2)
    const many = Array.from({ length: 201 }, (_, n) => `agent-${n}`).join(',')
    for (const query of [
      `?agent_ids=${many}`,
      `?agent_ids=${agents[0]}`,
      '?agent_ids=',
      '?include=x',
    ]) {
      const refused = await fleet(query)
      expect(refused).toMatchObject({ status: 422, body: { error: 'validation_error' } })
    }
    const unknown = await fleet(`?agent_ids=${agents[0]},nobody`)
    expect(unknown).toMatchObject({ status: 404, body: { error: 'agent_not_found' } })
    const others = await w.newAgent({ agent_id: 'not-ours' }, w.foreign)
    expect((await fleet(`?agent_ids=${agents[0]},${others}`)).body.error).toBe('agent_not_found')
    expect((await fleet('', w.foreign)).status).toBe(404)
  })

  it('covers the agents of the organisation, and names those without a card', async () => {
    const expires_at = new Date(w.t.clock.nowMs() + 1000).toISOString()
    const [expired = ''] = await w.newAgents(1, { card: { ...CARDS.a, expires_at } })
    w.t.clock.advance(1000)
    const { body } = await fleet()
    expect(body.agents_without_card).toContain(expired)
    expect(body.agent_count).toBeGreaterThan(50)
    expect(body.agent_summaries).toHaveLength(body.agent_count)
  })
})

describe('pair scores', () => {
  const coherenceOf = async (agentId: string) => {
    const { body } = await w.score(agentId)
    return body.components.find((one: { key: string }) => one.key === 'coherence_compatibility')
  }

  it('make up the coherence component: the latest score of each pair, for 90 days', async () => {
    const [a = '', b = '', c = ''] = await createThreeAgents()
    await w.seed(a, EXAMPLE_B)
    await w.recompute(a)
    expect(await coherenceOf(a)).toMatchObject({ score: 750, basis: 'default', n: 0 })
    await check(a, b, { required_values: ['transparency'] })
    await check(c, a)
    await w.recompute(a)
    expect(await coherenceOf(a)).toMatchObject({
      score: 410,
      basis: 'measured',
      n: 2,
      factors: ['Mean coherence 0.41 over 2 peers'],
    })
    const { body } = await w.score(a)
    const low = body.reason_codes.find((one: { code: string }) => one.code === 'LOW_COHERENCE')
    expect(low.evidence_ids).toEqual([c, b])
    w.t.clock.advance(89 * DAY_MS)
    await check(b, a)
    w.t.clock.advance(DAY_MS)
    await w.recompute(a)
    expect(await coherenceOf(a)).toMatchObject({ score: 500, n: 1 })
    owner = await w.t.ownerToken()
  })

  it('appear in the bundle as the score used them, even if replaced since', async () => {
    const [a = '', b = ''] = await createThreeAgents()
    const [hidden = ''] = await w.newAgents(1, { visibility: 'private', card: CARDS.c })
    await w.sendCheckpoints(a, 50)
    await check(a, b)
    await check(a, hidden)
    w.t.clock.advance(1000)
    await w.recompute(a)
    const { keys } = (await w.t.call('GET', '/v1/keys')).body
    const linesOf = async () => {
      const { text, status } = await w.t.call('GET', `/v1/reputation/${a}/bundle`)
      expect(status, text.slice(0, 300)).toBe(200)
      const lines = text.trim().split('\n')
      expect(await verifyBundle(lines, keys)).toMatchObject({ faults: [], ok: true, equal: true })
      const entries = lines.map((line) => JSON.parse(line))
      return entries.flatMap(({ kind, value }) => (kind === 'pair_score' ? [value] : []))
    }
    const before = await linesOf()
    expect(before).toMatchObject([
      { peer_id: b, pair_score_e4: 5000 },
      { peer_id: null, pair_score_e4: 3200 },
    ])
    w.t.clock.advance(1000)
    await w.t.call('PUT', `/v1/agents/${b}/card`, {
      token: w.key,
      body: valuesCard(['transparency', 'privacy', 'accuracy']),
    })
    await check(a, b)
    expect(await linesOf()).toEqual(before)
    await w.recompute(a)
    expect(await linesOf()).toMatchObject([{ pair_score_e4: 10_000 }, { pair_score_e4: 3200 }])
  })

  it('are deleted with the agent, while the rows that scores rest on stay without its id', async () => {
    const [a = '', b = ''] = await createThreeAgents()
    await check(a, b)
    await w.call('POST', `/v1/agents/${b}/erase`, { confirm: b }, owner)
    w.t.clock.advance(31 * DAY_MS)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    for (const table of ['coherence_pair', 'coherence_past']) {
      const found = await sql`select 1 from ${sql.table(table)} row
        where row::text like ${`%${b}%`}`.execute(w.t.app.kernel.db)
      expect(found.rows, table).toEqual([])
    }
    const kept = await sql`select peer_id, score_e4 from coherence_past
      where agent_id = ${a}`.execute(w.t.app.kernel.db)
    expect(kept.rows).toEqual([{ peer_id: null, score_e4: 5000 }])
    owner = await w.t.ownerToken()
  })

  it('are stored once per pair, even if compared concurrently', async () => {
    const [a = '', b = ''] = await createThreeAgents()
    await Promise.all([
      ...Array.from({ length: 6 }, () => check(a, b)),
      ...Array.from({ length: 6 }, () => check(b, a)),
    ])
    const found = await sql<{ agent_a: string }>`select agent_a from coherence_pair
      where ${a} in (agent_a, agent_b)`.execute(w.t.app.kernel.db)
    expect(found.rows).toHaveLength(1)
  })

  it('of two organisations count for the side that asked, with twice the weight', async () => {
    const [a = '', b = ''] = await createThreeAgents()
    const theirs = await w.newAgent({ agent_id: 'their-agent', card: CARDS.c }, w.foreign)
    await w.sendCheckpoints(a, 50)
    await check(a, b)
    await Promise.all(Array.from({ length: 4 }, () => check(a, theirs)))
    const rowsOf = async () =>
      (
        await sql<{ agent_id: string; score_e4: number }>`select agent_id, score_e4
          from coherence_across where 'their-agent' in (agent_id, peer_id)
          order by agent_id`.execute(w.t.app.kernel.db)
      ).rows
    expect(await rowsOf()).toEqual([{ agent_id: a, score_e4: 3200 }])
    w.t.clock.advance(1000)
    await w.recompute(a)
    // (5000 * 0.5 + 3200) / 1.5, in thousandths.
    expect(await coherenceOf(a)).toMatchObject({ score: 380, n: 2 })
    const { keys } = (await w.t.call('GET', '/v1/keys')).body
    const linesOf = async () => {
      const { text } = await w.t.call('GET', `/v1/reputation/${a}/bundle`)
      const lines = text.trim().split('\n')
      expect(await verifyBundle(lines, keys)).toMatchObject({ faults: [], ok: true, equal: true })
      const entries = lines.map((line) => JSON.parse(line))
      return entries.flatMap(({ kind, value }) => (kind === 'pair_score' ? [value] : []))
    }
    expect(await linesOf()).toMatchObject([
      { peer_id: b, pair_score_e4: 5000, weight: 0.5 },
      { peer_id: 'their-agent', pair_score_e4: 3200, weight: 1 },
    ])
    w.t.clock.advance(1000)
    const body = valuesCard(['accuracy'])
    await w.t.call('PUT', '/v1/agents/their-agent/card', { token: w.foreign, body })
    expect((await check(theirs, a, {}, w.foreign)).status).toBe(200)
    const [own, other] = await rowsOf()
    expect(own).toEqual({ agent_id: a, score_e4: 3200 })
    expect(other).toMatchObject({ agent_id: 'their-agent' })
    await check(theirs, a)
    expect(await linesOf()).toMatchObject([{ peer_id: b }, { peer_id: 'their-agent', weight: 1 }])
    await w.recompute(a)
    expect(await coherenceOf(a)).not.toMatchObject({ score: 380 })
    w.t.clock.advance(1000)
    await erase(theirs)
    expect((await linesOf()).filter(({ weight }) => weight === 1)).toMatchObject([
      { peer_id: null },
    ])
    for (const table of ['coherence_across', 'coherence_past']) {
      const found = await sql`select 1 from ${sql.table(table)} row
        where row::text like ${`%${theirs}%`}`.execute(w.t.app.kernel.db)
      expect(found.rows, table).toEqual([])
    }
  })
})

/** Makes the erasure of the agent due now, and runs it. */
async function erase(agentId: string): Promise<void> {
  const { db, clock, lifecycle } = w.t.app.kernel
  await sql`update agent set erase_after = ${clock.now()} where agent_id = ${agentId}`.execute(db)
  await lifecycle.purge(clock.now(), () => undefined)
}
