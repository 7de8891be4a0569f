import { sha256Hex } from '@touchstone/protocol/crypto'
import { memberScoreHash, teamChainHash, teamProofHash } from '@touchstone/protocol/teams'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_B } from '#harness/scores.ts'
import { type TeamWorld, teamWorld } from '#harness/teams.ts'

let w: TeamWorld
let owner: string

beforeAll(async () => {
  w = await teamWorld()
  owner = await w.t.ownerToken()
})

const DAY_MS = 86_400_000

const reputation = (teamId: string, token?: string) =>
  w.t.call('GET', `/v1/teams/${teamId}/reputation`, { token })
const verify = (teamId: string, token?: string) =>
  w.t.call('GET', `/v1/teams/${teamId}/reputation/verify`, { token })
const historyOf = async (teamId: string) =>
  (await w.t.call('GET', `/v1/teams/${teamId}/reputation/history`)).body.snapshots
const badge = (teamId: string, query = '', token?: string) =>
  w.t.call('GET', `/v1/teams/${teamId}/badge.svg${query}`, { token })
const recompute = (teamId: string, token = w.key) =>
  w.call('POST', `/v1/teams/${teamId}/reputation/recompute`, undefined, token)
const usedOf = async () =>
  (await w.get(`/v1/orgs/${w.org}/plan`)).body.usage.team_reputation.used as number

async function assessed(count: number, given: object = {}): Promise<string> {
  const { teamId } = await w.newTeam(given)
  for (let n = 0; n < count; n += 1) await w.assess(teamId)
  return teamId
}

describe('a team that is not eligible', () => {
  it('is not rated, and shows its progress', async () => {
    const teamId = await assessed(9, { name: 'On its way' })
    await w.nextWindow()
    const { status, body, headers } = await reputation(teamId)
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('public, max-age=60')
    expect(body).toEqual({
      team_id: teamId,
      team_name: 'On its way',
      status: 'active',
      score: null,
      grade: 'NR',
      tier: 'Not Rated',
      confidence: 'insufficient',
      is_eligible: false,
      components: [],
      total_assessments: 9,
      last_assessed: expect.any(String),
      trend_30d: 0,
      visibility: 'public',
      member_count: 2,
      computed_at: w.t.clock.now().toISOString(),
      a2a_trust_extension: null,
    })
    expect(await historyOf(teamId)).toEqual([])
    expect((await verify(teamId)).body).toEqual({
      team_id: teamId,
      score: null,
      grade: 'NR',
      verified: false,
      verification: null,
      computed_at: body.computed_at,
    })
    expect((await badge(teamId)).text).toContain('Building 9/10')
    expect((await badge(teamId, '?variant=compact')).text).toContain('>9/10<')
    expect(await w.teamEvents(teamId)).toMatchObject([{ type: 'team.created' }])
  })

  it('has no assessment at first', async () => {
    const { teamId } = await w.newTeam()
    const { body } = await reputation(teamId)
    expect(body).toMatchObject({ total_assessments: 0, last_assessed: null, is_eligible: false })
    expect(body.computed_at).toBe(w.t.clock.now().toISOString())
    expect((await badge(teamId)).text).toContain('Touchstone Team: Not Rated')
  })
})

describe('counted assessments', () => {
  it('make a team rated within a minute once there are ten, which is announced', async () => {
    const [a = '', b = ''] = await w.newAgents(2)
    for (const agentId of [a, b]) {
      await w.seed(agentId, EXAMPLE_B)
      await w.recompute(agentId)
    }
    const teamId = await assessed(10, { agent_ids: [a, b] })
    expect((await reputation(teamId)).body.is_eligible).toBe(false)
    await w.nextWindow()
    const { body } = await reputation(teamId)
    expect(body).toMatchObject({
      is_eligible: true,
      confidence: 'low',
      total_assessments: 10,
      trend_30d: 0,
    })
    const scores = body.components.map((one: { key: string; score: number }) => [
      one.key,
      one.score,
    ])
    // Ten assessments today: ln 11 / ln 101.
    expect(scores).toEqual([
      ['coherence_history', 800],
      ['member_quality', 875],
      ['operational_record', 1000],
      ['structural_stability', 900],
      ['assessment_density', 520],
    ])
    // 0.35 800 + 0.25 875 + 0.2 1000 + 0.1 900 + 0.1 520 = 840.75
    expect([body.score, body.grade, body.tier]).toEqual([841, 'AA', 'Established'])
    expect(body.components[0]).toEqual({
      key: 'coherence_history',
      label: 'Coherence History',
      score: 800,
      weight: 0.35,
      weighted_score: 280,
      factors: ['Weighted coherence over 10 assessments'],
    })
    const url = `${w.t.config.baseUrl}/v1/teams/${teamId}`
    expect(body.a2a_trust_extension).toEqual({
      provider: 'touchstone',
      score: 841,
      grade: 'AA',
      verified_url: `${url}/reputation`,
      badge_url: `${url}/badge.svg`,
      verify_url: `${url}/reputation/verify`,
      extension_uri: 'urn:touchstone:a2a-team-trust:v1',
      confidence: 'low',
      methodology_url: `${w.t.config.baseUrl}/docs/methodology`,
      last_updated: body.computed_at,
      member_count: 2,
    })
    const events = (await w.teamEvents(teamId)).filter(({ type }) =>
      type.startsWith('team_reputation'),
    )
    expect(events).toEqual([
      {
        type: 'team_reputation.grade_changed',
        data: { team_id: teamId, grade_before: 'NR', grade_after: 'AA', score: 841 },
      },
      {
        type: 'team_reputation.score_changed',
        data: {
          team_id: teamId,
          score_before: null,
          score_after: 841,
          grade: 'AA',
          components: Object.fromEntries(scores),
        },
      },
    ])
    expect((await badge(teamId, '?variant=score_tier')).text).toContain('841 Established')
    expect((await badge(teamId, '?variant=wide')).status).toBe(400)
    const [week] = await historyOf(teamId)
    expect(week).toEqual({
      team_id: teamId,
      week_start: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      score: 841,
      grade: 'AA',
      components: Object.fromEntries(scores),
      total_assessments: 10,
      created_at: body.computed_at,
    })
  })

  it('are limited to a hundred a day', async () => {
    const { teamId } = await w.newTeam()
    const counted: boolean[] = []
    for (let n = 0; n < 101; n += 1) counted.push(await w.assess(teamId))
    expect(counted.filter((was) => was)).toHaveLength(100)
    expect(counted.at(-1)).toBe(false)
    w.t.clock.advance(DAY_MS)
    owner = await w.t.ownerToken()
    expect(await w.assess(teamId)).toBe(true)
  })
})

describe('a computation', () => {
  it('runs once for all changes in a window, and is metered', async () => {
    await w.nextWindow()
    const teamId = await assessed(10)
    const before = await usedOf()
    await w.nextWindow()
    expect((await usedOf()) - before).toBe(1)
    const [x = '', y = ''] = await w.newAgents(2)
    await w.call('POST', `/v1/teams/${teamId}/members`, { agent_ids: [x, y] })
    await w.call('DELETE', `/v1/teams/${teamId}/members/${x}`)
    await w.assess(teamId)
    await w.nextWindow()
    expect((await usedOf()) - before).toBe(2)
    const { body } = await reputation(teamId)
    expect(body).toMatchObject({ member_count: 3, total_assessments: 11 })
    expect(body.components[3]).toMatchObject({
      score: 750,
      factors: ['3 roster changes in 90 days'],
    })
    await w.nextWindow()
    expect((await usedOf()) - before).toBe(2)
  })

  it('runs on request, and is metered', async () => {
    const teamId = await assessed(10)
    const before = await usedOf()
    const { status, body } = await recompute(teamId)
    expect([status, body.is_eligible]).toEqual([200, true])
    expect(body).toEqual((await reputation(teamId)).body)
    expect((await usedOf()) - before).toBe(1)
    // The requested computation covers the changes, so none is due at the end of the window.
    await w.nextWindow()
    expect((await usedOf()) - before).toBe(1)
    const member = await w.t.newUser('member@example.com', { orgId: w.org, role: 'member' })
    expect((await recompute(teamId, member.token)).status).toBe(403)
  })

  it('keeps only the log entries that the trend still needs', async () => {
    const teamId = await assessed(10)
    await w.nextWindow()
    const daysAgo = (days: number) => new Date(w.t.clock.nowMs() - days * DAY_MS)
    const { db } = w.t.app.kernel
    await sql`insert into team_score_log (team_id, at, score) values (${teamId}, ${daysAgo(90)}, 1),
      (${teamId}, ${daysAgo(60)}, 2), (${teamId}, ${daysAgo(20)}, 3)`.execute(db)
    w.t.clock.advance(DAY_MS)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    owner = await w.t.ownerToken()
    const log = await sql<{ score: number }>`select score from team_score_log
      where team_id = ${teamId} order by at limit 2`.execute(db)
    expect(log.rows.map((entry) => entry.score)).toEqual([2, 3])
    const { score, trend_30d } = (await reputation(teamId)).body
    expect(trend_30d).toBe(score - 2)
  })

  it('runs every six hours for every active team, and is not metered', async () => {
    const teamId = await assessed(10)
    const gone = await assessed(10)
    await w.nextWindow()
    await w.call('DELETE', `/v1/teams/${gone}`)
    const [first, frozen] = [(await reputation(teamId)).body, (await reputation(gone)).body]
    const before = await usedOf()
    w.t.clock.advance(40 * DAY_MS)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    owner = await w.t.ownerToken()
    const { body } = await reputation(teamId)
    expect(body.computed_at).toBe(w.t.clock.now().toISOString())
    expect(body.score).toBeLessThan(first.score)
    expect(body.trend_30d).toBe(body.score - first.score)
    expect((await reputation(gone)).body).toEqual({ ...frozen, status: 'archived' })
    expect(await usedOf()).toBe(0)
    expect(before).toBeGreaterThan(0)
    const events = (await w.teamEvents(teamId)).filter(
      ({ type }) => type === 'team_reputation.score_changed',
    )
    expect(events.at(-1)?.data).toMatchObject({
      score_before: first.score,
      score_after: body.score,
    })
    expect(await historyOf(teamId)).toHaveLength(2)
  })

  it('pauses while the plan does not include it', async () => {
    const teamId = await assessed(10)
    await w.nextWindow()
    const { body } = await reputation(teamId)
    const setPlan = (plan_id: string) =>
      w.call('PUT', `/v1/admin/orgs/${w.org}/plan`, { plan_id, status: 'active' }, owner)
    await setPlan('plan-free')
    for (let n = 0; n < 5; n += 1) await w.assess(teamId, { coherence: 0 })
    await w.nextWindow()
    expect((await reputation(teamId)).body).toMatchObject({
      score: body.score,
      computed_at: body.computed_at,
    })
    expect((await recompute(teamId)).status).toBe(403)
    await setPlan('plan-enterprise')
    expect((await recompute(teamId)).body.score).toBeLessThan(body.score)
  })

  it('announces the quota at 80 percent and beyond the limit, once each', async () => {
    const setPlan = (body: object) =>
      w.call('PUT', `/v1/admin/orgs/${w.org}/plan`, { status: 'active', ...body }, owner)
    const used = await usedOf()
    const limits = { included: { team_reputation: used + 5 } }
    await setPlan({ plan_id: 'plan-team', limits })
    const teamId = await assessed(10)
    for (let n = 0; n < 7; n += 1) expect((await recompute(teamId)).status).toBe(200)
    w.t.clock.advance(60_000)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    const events = await sql<{ type: string; data: Record<string, unknown> }>`
      select type, data from event where type like 'quota.team%' order by type`.execute(
      w.t.app.kernel.db,
    )
    expect(events.rows.map(({ type }) => type)).toEqual([
      'quota.team_reputation_exceeded',
      'quota.team_reputation_warning',
    ])
    expect(events.rows[0]?.data).toMatchObject({ computations_included: used + 5 })
    await setPlan({ plan_id: 'plan-enterprise' })
  })
})

describe('GET /v1/teams/{team_id}/reputation/verify', () => {
  it('shows hashes that anybody can recompute from the published inputs', async () => {
    const [a = '', b = ''] = await w.newAgents(2)
    await w.seed(a, EXAMPLE_B)
    await w.recompute(a)
    const { teamId } = await w.newTeam({ agent_ids: [a, b] })
    let head: string | undefined
    const createdAt = w.t.clock.now()
    for (let n = 0; n < 12; n += 1) {
      const assessment = { assessmentId: `tra-${teamId}-${n}`, coherence: 700_000 + n }
      const whole = { structuralRisk: 90_000, level: 'medium' as const, ...assessment }
      await w.assess(teamId, whole)
      head = teamChainHash({ ...whole, createdAt: createdAt.toISOString() }, head)
    }
    const shown = (await recompute(teamId)).body
    const { body, headers } = await verify(teamId)
    expect(headers['cache-control']).toBe('public, max-age=60')
    expect(body).toMatchObject({
      team_id: teamId,
      score: shown.score,
      grade: shown.grade,
      verified: true,
      computed_at: shown.computed_at,
      verification: {
        assessment_chain_head: `sha256:${head}`,
        hash_chain_valid: true,
        total_assessments: 12,
        latest_assessment_id: `tra-${teamId}-11`,
        latest_assessment_at: createdAt.toISOString(),
        proof_generated_at: w.t.clock.now().toISOString(),
      },
    })
    const unrated = memberScoreHash({ agentId: b, score: null, merkleRoot: null })
    expect(unrated).toBe(
      `sha256:${sha256Hex(`{"agent_id":"${b}","merkle_root":null,"score":null}`)}`,
    )
    const { proof_hash, member_score_hashes } = body.verification
    expect(member_score_hashes).toContain(unrated)
    expect(member_score_hashes).toEqual([...member_score_hashes].sort())
    const components = Object.fromEntries(
      shown.components.map((one: { key: string; score: number }) => [one.key, one.score]),
    )
    const proof = {
      teamId,
      score: shown.score,
      grade: shown.grade,
      chainHead: head ?? '',
      memberScoreHashes: member_score_hashes,
      rosterChangeIds: [],
      computedAt: shown.computed_at,
    }
    expect(proof_hash).toBe(teamProofHash({ ...proof, components: components as never }))
  })

  it('stays valid after later changes, and after a member is erased', async () => {
    const [a = '', b = '', c = ''] = await w.newAgents(3)
    const teamId = await assessed(10, { agent_ids: [a, b, c] })
    await w.call('DELETE', `/v1/teams/${teamId}/members/${c}`)
    await recompute(teamId)
    const proven = (await verify(teamId)).body
    expect(proven.verified).toBe(true)
    w.t.clock.advance(61_000)
    await w.assess(teamId)
    await w.call('POST', `/v1/teams/${teamId}/members`, { agent_ids: [c] })
    const again = (await verify(teamId)).body
    expect(again.verified).toBe(true)
    expect(again.verification.proof_hash).toBe(proven.verification.proof_hash)
    await w.call('DELETE', `/v1/teams/${teamId}`)
    await w.call('POST', `/v1/agents/${a}/erase`, { confirm: a }, owner)
    w.t.clock.advance(31 * DAY_MS)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    owner = await w.t.ownerToken()
    const after = (await verify(teamId)).body
    expect(after.verified).toBe(true)
    const rows = await sql`select 1 from team_score_member
      where agent_id = ${a}`.execute(w.t.app.kernel.db)
    expect(rows.rows).toEqual([])
  })

  it.each([
    ['an assessment', 'update team_assessment set cq = cq + 1 where position = 3'],
    [
      'the hash link of an assessment',
      "update team_assessment set chain_hash = repeat('0', 64) where position = 4",
    ],
    ['the last assessment', 'delete from team_assessment where position = 10'],
    ['the score', 'update team_score set score = score + 1 where true'],
    [
      'a component',
      `update team_score set components = jsonb_set(components, '{0,score}', '1000') where true`,
    ],
    ['the score of a member', 'update team_score_member set score = 999 where place = 0'],
    [
      'the hash of a member',
      "update team_score_member set score_hash = 'sha256:0' where place = 1",
    ],
    ['a roster change', 'delete from team_roster_change where not initial'],
  ])('fails if %s was altered', async (_, statement) => {
    const [a = '', b = '', c = ''] = await w.newAgents(3)
    const teamId = await assessed(10, { agent_ids: [a, b, c] })
    await w.call('DELETE', `/v1/teams/${teamId}/members/${c}`)
    await recompute(teamId)
    await w.t.app.kernel.db.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql`${sql.raw(statement)} and team_id = ${teamId}`.execute(tx)
    })
    expect((await verify(teamId)).body).toMatchObject({ team_id: teamId, verified: false })
  })
})

describe('the reputation of a team', () => {
  it('is public, unless the team is private: then only its organisation sees it', async () => {
    const open = await assessed(10, { visibility: 'unlisted' })
    const hidden = await assessed(10, { visibility: 'private' })
    for (const teamId of [open, hidden]) await recompute(teamId)
    expect((await reputation(open)).status).toBe(200)
    for (const read of [reputation, verify]) {
      const unknown = await read('team-unknown')
      expect([unknown.status, unknown.body]).toEqual([404, { error: 'No such team.' }])
      for (const token of [undefined, w.foreign]) {
        const refused = await read(hidden, token)
        expect([refused.status, refused.body]).toEqual([404, unknown.body])
      }
      const own = await read(hidden, w.key)
      expect(own.status).toBe(200)
      expect(own.headers['cache-control']).toBe('private, no-store')
    }
    const history = `/v1/teams/${hidden}/reputation/history`
    expect((await w.t.call('GET', history)).status).toBe(404)
    expect((await w.get(history)).status).toBe(200)
    const shown = await badge(hidden, '', w.key)
    expect(shown.text).toContain('Touchstone Team')
    expect(shown.headers['cache-control']).toBe('private, no-store')
    const others = await badge(hidden)
    expect(others.text).toBe((await badge('team-unknown')).text)
    expect(others.text).toContain('Not Rated')
    expect(others.headers['cache-control']).toBe('public, max-age=3600')
    expect(others.headers['etag']).toMatch(/^"[0-9a-f]{16}"$/)
  })
})
