import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { CARDS, type TeamWorld, teamWorld } from '#harness/teams.ts'

let w: TeamWorld

beforeAll(async () => {
  w = await teamWorld()
})

const BODY = { ...CARDS.b, team_mission: 'Answer claims', coordination_mode: 'hierarchical' }

const urlOf = (teamId: string, path = '') => `/v1/teams/${teamId}/card${path}`
const put = (teamId: string, body: unknown, headers: Record<string, string> = {}) =>
  w.t.call('PUT', urlOf(teamId), { token: w.key, body, headers })
const derive = (teamId: string, query = '') => w.call('POST', urlOf(teamId, `/derive${query}`))
const historyOf = async (teamId: string, query = '') =>
  (await w.get(urlOf(teamId, `/history${query}`))).body

/** The team of spec: risk §2.7. */
async function teamOfThree(): Promise<string> {
  const ids: string[] = []
  for (const card of [CARDS.a, CARDS.b, CARDS.c]) ids.push(...(await w.newAgents(1, { card })))
  return (await w.newTeam({ agent_ids: ids })).teamId
}

describe('a manual team card', () => {
  it('is null at first, and versioned from then on', async () => {
    const { teamId } = await w.newTeam()
    const none = await w.get(urlOf(teamId))
    expect([none.status, none.body]).toEqual([200, null])
    const first = await put(teamId, BODY)
    expect(first.body).toEqual({
      card_id: expect.stringMatching(/^ac-/),
      team_id: teamId,
      version: 1,
      card_source: 'manual',
      issued_at: w.t.clock.now().toISOString(),
    })
    expect(first.headers['etag']).toBe('"1"')
    const { body, headers } = await w.get(urlOf(teamId))
    expect(headers['etag']).toBe('"1"')
    expect(body).toMatchObject({ ...first.body, is_active: true })
    expect(body.card_json).toMatchObject({
      agent_id: teamId,
      card_id: first.body.card_id,
      team_mission: 'Answer claims',
      coordination_mode: 'hierarchical',
      values: { declared: ['transparency', 'accuracy', 'speed'] },
    })
    const second = await put(teamId, { ...BODY, card_source: 'manual' })
    expect(second.body.version).toBe(2)
    const history = await historyOf(teamId)
    expect(history).toMatchObject({ total: 2, page: 1, per_page: 50 })
    expect(history.cards).toEqual([
      {
        card_id: second.body.card_id,
        version: 2,
        card_source: 'manual',
        issued_at: second.body.issued_at,
        is_active: true,
        actor_id: expect.stringMatching(/^key-/),
      },
      expect.objectContaining({ version: 1, is_active: false }),
    ])
    const withCards = await historyOf(teamId, '?include=card_json&per_page=1')
    expect(withCards.cards[0].card_json.team_mission).toBe('Answer claims')
    const events = (await w.teamEvents(teamId)).filter(({ type }) => type === 'team.card_updated')
    expect(events.map(({ data }) => [data['version'], data['card_source']])).toEqual([
      [1, 'manual'],
      [2, 'manual'],
    ])
    expect(events[0]?.data).toMatchObject({ card_id: first.body.card_id, team_id: teamId })
  })

  it("is validated like an agent's, and refused with 400", async () => {
    const { teamId } = await w.newTeam()
    const { principal: _, ...headless } = BODY
    const wrong = [
      headless,
      { ...BODY, values: { declared: [] } },
      { ...BODY, values: 'all' },
      { ...BODY, audit_commitment: { retention_days: 0, queryable: false } },
      { ...BODY, autonomy_envelope: { bounded_actions: ['pay'], forbidden_actions: ['pay'] } },
      { ...BODY, team_mission: 'x'.repeat(501) },
      { ...BODY, coordination_mode: 'chaotic' },
      { ...BODY, member_requirements: { min_retention_days: 0 } },
      { ...BODY, card_source: 'auto_derived' },
      { ...BODY, card_source: 'hybrid' },
    ]
    for (const body of wrong) {
      const refused = await put(teamId, body)
      expect(refused.status, JSON.stringify(body).slice(0, 60)).toBe(400)
      expect(Object.keys(refused.body)).toEqual(['error'])
    }
    expect((await w.get(urlOf(teamId))).body).toBeNull()
  })

  it('is written only with the ETag of the current version', async () => {
    const { teamId } = await w.newTeam()
    expect((await put(teamId, BODY, { 'if-match': '"1"' })).status).toBe(412)
    expect((await put(teamId, BODY)).status).toBe(200)
    const stale = await put(teamId, BODY, { 'if-match': '"2"' })
    expect([stale.status, stale.body]).toEqual([
      412,
      { error: 'The current version is 1. Read it again and repeat the change.' },
    ])
    expect((await put(teamId, BODY, { 'if-match': '"1"' })).body.version).toBe(2)
    expect((await put(teamId, BODY, { 'if-match': '2' })).status).toBe(400)
    const many = await Promise.all(
      Array.from({ length: 4 }, () => put(teamId, BODY, { 'if-match': '"2"' })),
    )
    expect(many.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
  })

  it('is immutable in the database', async () => {
    const { teamId } = await w.newTeam()
    await put(teamId, BODY)
    const change = sql`delete from team_card where team_id = ${teamId}`
    await expect(change.execute(w.t.app.kernel.db)).rejects.toThrow(/never changed/)
  })
})

describe('a derived team card', () => {
  it('matches the vector', async () => {
    const teamId = await teamOfThree()
    const preview = await derive(teamId, '?preview=true')
    expect(preview.body).toMatchObject({ version: null, changed: true })
    expect((await w.get(urlOf(teamId))).body).toBeNull()
    const { status, body } = await derive(teamId)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      card_source: 'auto_derived',
      member_count: 3,
      members_with_cards: 3,
      version: 1,
      changed: true,
      dropped_conflicts: ['data_hoarding', 'privacy'],
    })
    expect(body.derived_card).toMatchObject({
      aap_version: '0.5.0',
      agent_id: teamId,
      principal: {
        type: 'organization',
        identifier: w.org,
        relationship: 'delegated_authority',
      },
      values: {
        declared: ['accuracy', 'transparency', 'speed', 'data_hoarding', 'privacy'],
        conflicts_with: [],
      },
      autonomy_envelope: {
        bounded_actions: ['archive', 'search', 'summarize'],
        forbidden_actions: ['delete_records', 'send_report'],
      },
    })
    const stored = (await w.get(urlOf(teamId))).body
    expect(stored).toMatchObject({ card_source: 'auto_derived', card_json: body.derived_card })
  })

  it('is stored only if it differs from the active derived one', async () => {
    const teamId = await teamOfThree()
    await derive(teamId)
    w.t.clock.advance(1000)
    expect((await derive(teamId)).body).toMatchObject({ version: 1, changed: false })
    expect((await historyOf(teamId)).total).toBe(1)
    const [more = ''] = await w.newAgents(1)
    await w.call('POST', `/v1/teams/${teamId}/members`, { agent_ids: [more] })
    expect((await historyOf(teamId)).total).toBe(1)
    expect((await derive(teamId, '?preview=true')).body).toMatchObject({
      version: 1,
      changed: true,
    })
    expect((await derive(teamId)).body).toMatchObject({
      version: 2,
      changed: true,
      member_count: 4,
    })
    const hybrid = await put(teamId, { ...BODY, card_source: 'hybrid' })
    expect(hybrid.body).toMatchObject({ version: 3, card_source: 'hybrid' })
    expect((await put(teamId, { ...BODY, card_source: 'hybrid' })).body.version).toBe(4)
    expect((await derive(teamId)).body).toMatchObject({ version: 5, changed: true })
    expect((await put(teamId, BODY)).body).toMatchObject({ version: 6, card_source: 'manual' })
    expect((await put(teamId, { ...BODY, card_source: 'hybrid' })).status).toBe(400)
  })

  it('requires two members whose card has not expired', async () => {
    const expires_at = new Date(w.t.clock.nowMs() + 60_000).toISOString()
    const [a = ''] = await w.newAgents(1, { card: CARDS.a })
    const [b = ''] = await w.newAgents(1, { card: { ...CARDS.b, expires_at } })
    const { teamId } = await w.newTeam({ agent_ids: [a, b] })
    w.t.clock.advance(60_000)
    const refused = await derive(teamId)
    expect([refused.status, refused.body]).toEqual([
      400,
      { error: 'At least 2 members must have a card that has not expired.' },
    ])
    expect((await derive(teamId, '?preview=maybe')).status).toBe(400)
  })
})
