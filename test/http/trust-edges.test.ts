import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkpointWorld, type World } from '#harness/checkpoints.ts'

let w: World
let [a, b, c] = ['', '', '']

beforeAll(async () => {
  w = await checkpointWorld()
  a = await w.newAgent({ agent_id: 'agent-a' })
  b = await w.newAgent({ agent_id: 'agent-b' })
  c = await w.newAgent({ agent_id: 'agent-c' }, w.foreign)
})

const urlOf = (agentId: string, rest = '') => `/v1/agents/${agentId}/trust-edges${rest}`

const trust = (source: string, target: string, body: object = {}, token: string = w.key) =>
  w.t.call('POST', urlOf(source), { token, body: { target_agent_id: target, ...body } })

const remove = (source: string, rest: string, token = w.key) =>
  w.t.call('DELETE', urlOf(source, rest), { token })

describe('a trust edge', () => {
  it('is declared, shown from both ends, and removed', async () => {
    const created = await trust(b, a, { trust_level: 'high' })
    expect(created).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^te-[0-9a-f-]{36}$/),
        source_agent_id: b,
        target_agent_id: a,
        trust_level: 'high',
        reason: null,
        created_at: w.t.clock.now().toISOString(),
      },
    })
    const shown = { trust_edges: [created.body], total: 1, page: 1, per_page: 200 }
    expect((await w.get(urlOf(b))).body).toEqual(shown)
    expect((await w.get(urlOf(a, '?direction=in'))).body).toEqual(shown)
    expect((await w.get(urlOf(a, '?direction=both'))).body).toEqual(shown)
    expect((await w.get(urlOf(a))).body.trust_edges).toEqual([])
    expect((await remove(b, `/${created.body.id}`)).status).toBe(204)
    expect((await w.get(urlOf(b))).body.total).toBe(0)
    const again = await remove(b, `/${created.body.id}`)
    expect(again).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })

  it('has medium trust by default, and may have a reason', async () => {
    const { body } = await trust(a, b, { reason: 'Same team' })
    expect(body).toMatchObject({ trust_level: 'medium', reason: 'Same team' })
    expect((await remove(a, `?target_agent_id=${b}`)).status).toBe(204)
    expect(await remove(a, `?target_agent_id=${b}`)).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
    expect((await remove(a, '')).status).toBe(400)
  })

  it('may lead to another organisation, but not to a private agent there', async () => {
    expect((await trust(a, c)).status).toBe(201)
    const hidden = await w.newAgent({ agent_id: 'hidden', visibility: 'private' }, w.foreign)
    const refused = { status: 404, body: { error: 'agent_not_found' } }
    const unknown = await trust(a, 'agent-nowhere')
    expect(unknown).toMatchObject(refused)
    expect((await trust(a, hidden)).body).toEqual(unknown.body)
    expect((await trust(hidden, a, {}, w.foreign)).status).toBe(201)
    // The target must not learn that the private agent exists.
    expect((await w.get(urlOf(a, '?direction=in'))).body.trust_edges).toEqual([])
    const own = await w.get(urlOf(hidden), w.foreign)
    expect(own.body.trust_edges).toHaveLength(1)
  })

  it('can neither point to its own agent nor exist twice', async () => {
    expect((await trust(a, a)).status).toBe(400)
    expect((await trust(a, b)).status).toBe(201)
    const again = await trust(a, b, { trust_level: 'low' })
    expect(again).toMatchObject({ status: 409, body: { error: 'conflict' } })
    const many = await Promise.all(Array.from({ length: 6 }, () => trust(b, c)))
    expect(many.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
  })

  it.each([{ trust_level: 'total' }, { reason: '' }, { reason: 'x'.repeat(501) }])(
    'is refused with %j',
    async (body) => {
      expect((await trust(b, a, body)).status).toBe(400)
    },
  )

  it('is limited to 200 per agent', async () => {
    const source = await w.newAgent({ agent_id: 'agent-many' })
    await sql`insert into trust_edge (edge_id, source_agent_id, target_agent_id, trust_rank,
        created_at)
      select 'te-' || n, ${source}, 'other-' || n, 1, ${w.t.clock.now()}
      from generate_series(1, 199) as n`.execute(w.t.app.kernel.db)
    const both = await Promise.all([trust(source, a), trust(source, b)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
    const { body } = await w.get(urlOf(source))
    expect(body.trust_edges).toHaveLength(200)
    expect(body).toMatchObject({ total: 200, per_page: 200 })
    expect((await w.get(urlOf(source, '?page=3&per_page=90'))).body.trust_edges).toHaveLength(20)
  })

  it('is changed by owners and administrators of its own organisation, and audited', async () => {
    const member = await w.t.newUser('member@example.com', { orgId: w.org, role: 'member' })
    expect((await trust(b, a, {}, member.token)).status).toBe(403)
    expect((await w.get(urlOf(b), member.token)).status).toBe(200)
    expect((await trust(b, a, {}, w.foreign)).status).toBe(404)
    expect((await w.get(urlOf(b), w.foreign)).status).toBe(404)
    expect((await w.get(urlOf(b), '')).status).toBe(401)
    const elsewhere = (await trust(c, a, {}, w.foreign)).body.id
    expect((await remove(b, `/${elsewhere}`)).status).toBe(404)
    const log = await w.t.call(
      'GET',
      `/v1/orgs/${w.org}/audit-log?action=trust_edge.created&per_page=100`,
      { token: await w.t.ownerToken() },
    )
    expect(log.body.entries).toContainEqual(
      expect.objectContaining({ target: { type: 'agent', id: b } }),
    )
  })

  it('is deleted with either of its agents', async () => {
    const [gone, kept] = [await w.newAgent(), await w.newAgent()]
    await trust(gone, kept)
    await trust(kept, gone)
    const owner = await w.t.ownerToken()
    const erased = await w.t.call('POST', `/v1/agents/${gone}/erase`, {
      token: owner,
      body: { confirm: gone },
    })
    expect(erased.status).toBe(202)
    expect((await trust(gone, a)).status).toBe(409)
    w.t.clock.advance(31 * 86_400_000)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    const { body } = await w.get(urlOf(kept, '?direction=both'))
    expect(body.trust_edges).toEqual([])
  })
})
