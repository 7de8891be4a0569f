import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TeamWorld, teamWorld } from '#harness/teams.ts'

let w: TeamWorld
let owner: string

beforeAll(async () => {
  w = await teamWorld()
  owner = await w.t.ownerToken()
})

const DAY_MS = 86_400_000

const add = (teamId: string, agent_ids: unknown) =>
  w.call('POST', `/v1/teams/${teamId}/members`, { agent_ids })
const remove = (teamId: string, agentId: string) =>
  w.call('DELETE', `/v1/teams/${teamId}/members/${agentId}`)
const membersOf = async (teamId: string): Promise<string[]> =>
  (await w.get(`/v1/teams/${teamId}`)).body.members.map((one: { agent_id: string }) => one.agent_id)
const historyOf = async (teamId: string, query = '') =>
  (await w.get(`/v1/teams/${teamId}/roster-history${query}`)).body
const archive = (agentId: string) => w.call('DELETE', `/v1/agents/${agentId}`, undefined, owner)

describe('members of a team', () => {
  it('are added all or none, with a list of those already in the team', async () => {
    const { teamId, agentIds } = await w.newTeam()
    const [x = '', y = ''] = await w.newAgents(2)
    w.t.clock.advance(1000)
    const added = await add(teamId, [y, agentIds[0], x, y])
    expect(added).toMatchObject({
      status: 200,
      body: { added: [y, x], already_members: [agentIds[0]] },
    })
    expect(await membersOf(teamId)).toEqual([...agentIds, x, y])
    expect(added.body.members).toHaveLength(4)
    const none = await add(teamId, [x, 'nobody'])
    expect([none.status, none.body]).toEqual([
      404,
      { error: 'The organisation has no agents with these ids: nobody.' },
    ])
    for (const wrong of [[], [''], 'x', undefined]) {
      expect((await add(teamId, wrong)).status).toBe(400)
    }
    const again = await add(teamId, [x])
    expect(again.body).toMatchObject({ added: [], already_members: [x] })
    const events = (await w.teamEvents(teamId)).filter(({ type }) => type === 'team.member_added')
    expect(events.map(({ data }) => [data['agent_id'], data['member_count']])).toEqual([
      [x, 4],
      [y, 3],
    ])
    expect(events[0]?.data['actor_id']).toMatch(/^key-/)
  })

  it('are removed as long as two remain', async () => {
    const [a = '', b = '', c = ''] = await w.newAgents(3)
    const { teamId } = await w.newTeam({ agent_ids: [a, b, c] })
    expect((await remove(teamId, 'nobody')).status).toBe(404)
    const removed = await remove(teamId, c)
    expect([removed.status, removed.body]).toEqual([200, { removed: true, agent_id: c }])
    expect((await remove(teamId, c)).status).toBe(404)
    const last = await remove(teamId, b)
    expect([last.status, last.body]).toEqual([
      400,
      { error: 'A team must keep at least 2 agents.' },
    ])
    const events = (await w.teamEvents(teamId)).filter(({ type }) => type === 'team.member_removed')
    expect(events).toMatchObject([{ data: { agent_id: c, member_count: 2 } }])
  })

  it('never exceed 50, even if added concurrently', async () => {
    const agents = await w.newAgents(49)
    const { teamId } = await w.newTeam({ agent_ids: agents })
    const more = await w.newAgents(6)
    const answers = await Promise.all(more.map((agentId) => add(teamId, [agentId])))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, 400, 400, 400, 400, 400])
    const refused = answers.find(({ status }) => status === 400)
    expect(refused?.body.error).toBe('A team has at most 50 agents; this request would make it 51.')
    expect(await membersOf(teamId)).toHaveLength(50)
    expect((await add(teamId, await w.newAgents(1))).status).toBe(400)
  })

  it('never drop below two, even if removed concurrently', async () => {
    const agents = await w.newAgents(4)
    const { teamId } = await w.newTeam({ agent_ids: agents })
    const answers = await Promise.all(agents.map((agentId) => remove(teamId, agentId)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400])
    expect(await membersOf(teamId)).toHaveLength(2)
  })
})

describe('the history of a roster', () => {
  it('lists newest first who joined and left, and who made the change', async () => {
    const { teamId, agentIds } = await w.newTeam()
    const [x = ''] = await w.newAgents(1)
    w.t.clock.advance(1000)
    await add(teamId, [x])
    w.t.clock.advance(1000)
    await remove(teamId, agentIds[0] ?? '')
    const history = await historyOf(teamId)
    expect(history).toMatchObject({ total: 4, page: 1, per_page: 50 })
    const rows = history.changes.map((one: Record<string, unknown>) => [
      one['change_type'],
      one['agent_id'],
    ])
    expect(rows).toEqual([
      ['agent_removed', agentIds[0]],
      ['agent_added', x],
      ['agent_added', agentIds[1]],
      ['agent_added', agentIds[0]],
    ])
    expect(history.changes[0]).toEqual({
      id: expect.stringMatching(/^trc-/),
      team_id: teamId,
      change_type: 'agent_removed',
      agent_id: agentIds[0],
      actor_id: expect.stringMatching(/^key-/),
      created_at: w.t.clock.now().toISOString(),
    })
    const second = await historyOf(teamId, '?page=2&per_page=3')
    expect(second.changes).toHaveLength(1)
    expect(second).toMatchObject({ total: 4, page: 2, per_page: 3 })
  })

  it('cannot be changed in the database', async () => {
    const { teamId } = await w.newTeam()
    const change = sql`update team_roster_change set agent_id = 'x' where team_id = ${teamId}`
    await expect(change.execute(w.t.app.kernel.db)).rejects.toThrow(/never changed/)
  })
})

describe('an agent that is archived or erased', () => {
  it('leaves its teams when it is archived; a team with one member left is archived too', async () => {
    const [a = '', b = '', c = ''] = await w.newAgents(3)
    const three = await w.newTeam({ agent_ids: [a, b, c] })
    const two = await w.newTeam({ agent_ids: [a, b] })
    expect((await archive(a)).status).toBe(204)
    expect(await membersOf(three.teamId)).toEqual([b, c])
    expect((await w.get(`/v1/teams/${three.teamId}`)).body.team.status).toBe('active')
    expect((await w.get(`/v1/teams/${two.teamId}`)).body.team.status).toBe('archived')
    const [left] = (await historyOf(three.teamId)).changes
    expect(left).toMatchObject({ change_type: 'agent_removed', agent_id: a, actor_id: null })
    const events = (await w.teamEvents(two.teamId)).map(({ type, data }) => [
      type,
      data['actor_id'],
    ])
    expect(events).toContainEqual(['team.member_removed', null])
    expect(events.map(([type]) => type)).toContain('team.archived')
  })

  it('cannot join while it is being archived', async () => {
    const { teamId } = await w.newTeam()
    const [late = ''] = await w.newAgents(1)
    const [joined] = await Promise.all([add(teamId, [late]), archive(late)])
    expect([200, 404]).toContain(joined.status)
    expect(await membersOf(teamId)).not.toContain(late)
  })

  it('is removed from all teams, archived ones included, when it is erased', async () => {
    const [a = '', b = '', c = ''] = await w.newAgents(3)
    const active = await w.newTeam({ agent_ids: [a, b, c] })
    const archived = await w.newTeam({ agent_ids: [a, b] })
    await w.call('DELETE', `/v1/teams/${archived.teamId}`)
    const asked = await w.call('POST', `/v1/agents/${a}/erase`, { confirm: a }, owner)
    expect(asked.status).toBe(202)
    expect(await membersOf(active.teamId)).toEqual([b, c])
    expect(await membersOf(archived.teamId)).toEqual([a, b])
    w.t.clock.advance(31 * DAY_MS)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    expect(await membersOf(archived.teamId)).toEqual([b])
    const { changes } = await historyOf(active.teamId)
    expect(changes.map((one: { agent_id: unknown }) => one.agent_id)).toEqual([null, c, b, null])
    for (const table of ['team_member', 'team_roster_change', 'team_score_member']) {
      const found = await sql`select 1 from ${sql.table(table)} row
        where row::text like ${`%${a}%`}`.execute(w.t.app.kernel.db)
      expect(found.rows, table).toEqual([])
    }
    owner = await w.t.ownerToken()
  })
})

describe('the teams of a deleted organisation', () => {
  it('return when it is restored, and are gone once it is erased', async () => {
    const person = await w.t.newUser('founder@example.com')
    const created = await w.t.call('POST', '/v1/orgs', {
      token: person.token,
      body: { name: 'Founded', slug: 'founded' },
    })
    const org_id = created.body.org_id
    const { key } = (
      await w.t.call('POST', '/v1/api-keys', { token: person.token, body: { org_id } })
    ).body
    const agent_ids = [
      await w.newAgent({ agent_id: 'founded-1' }, key),
      await w.newAgent({ agent_id: 'founded-2' }, key),
    ]
    const body = { org_id, name: 'Founders', agent_ids }
    const team = (await w.t.call('POST', '/v1/teams', { token: key, body })).body.team
    await w.t.call('POST', `/v1/teams/${team.id}/card/derive`, { token: key })
    const reputation = () => w.t.call('GET', `/v1/teams/${team.id}/reputation`)
    expect((await reputation()).status).toBe(200)
    await w.t.call('DELETE', `/v1/orgs/${org_id}`, { token: person.token })
    expect(await reputation()).toMatchObject({ status: 404, body: { error: 'No such team.' } })
    const restored = await w.t.call('POST', `/v1/admin/orgs/${org_id}/restore`, { token: owner })
    expect(restored.status).toBe(200)
    const back = await w.t.call('GET', `/v1/teams/${team.id}`, { token: person.token })
    expect(back.body).toMatchObject({ team: { status: 'active', member_count: 2 } })
    expect((await reputation()).status).toBe(200)
    await w.t.call('DELETE', `/v1/orgs/${org_id}`, { token: person.token })
    w.t.clock.advance(31 * DAY_MS)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    const tables = await sql<{ name: string }>`select table_name as name
      from information_schema.tables where table_schema = 'public'
        and table_name like 'team%'`.execute(w.t.app.kernel.db)
    expect(tables.rows.length).toBeGreaterThan(5)
    for (const { name } of tables.rows) {
      const found = await sql`select 1 from ${sql.table(name)} row
        where row::text like ${`%${team.id}%`}`.execute(w.t.app.kernel.db)
      expect(found.rows, name).toEqual([])
    }
  })
})
