import { beforeAll, describe, expect, it } from 'vitest'
import { type TeamWorld, teamWorld } from '#harness/teams.ts'

let w: TeamWorld
let owner: string

beforeAll(async () => {
  w = await teamWorld()
  owner = await w.t.ownerToken()
})

const text = (answer: { body: unknown }) => {
  expect(Object.keys(answer.body as object)).toEqual(['error'])
  return (answer.body as { error: string }).error
}

describe('POST /v1/teams', () => {
  it('creates a team and lists its members by id', async () => {
    const agents = await w.newAgents(3)
    const body = {
      name: '  Claims desk ',
      agent_ids: [...agents].reverse(),
      description: 'Handles claims',
      metadata: { region: 'eu' },
      visibility: 'unlisted',
    }
    const created = await w.create(body)
    expect(created.status).toBe(201)
    const { team, members } = created.body
    expect(team).toEqual({
      id: expect.stringMatching(/^team-[0-9a-f-]{36}$/),
      org_id: w.org,
      name: 'Claims desk',
      description: 'Handles claims',
      status: 'active',
      metadata: { region: 'eu' },
      visibility: 'unlisted',
      member_count: 3,
      created_at: w.t.clock.now().toISOString(),
      updated_at: w.t.clock.now().toISOString(),
      archived_at: null,
    })
    expect(members.map((one: { agent_id: string }) => one.agent_id)).toEqual(agents)
    expect(members[0]).toEqual({
      team_id: team.id,
      agent_id: agents[0],
      agent_name: agents[0],
      added_at: team.created_at,
      removed_at: null,
    })
    expect((await w.get(`/v1/teams/${team.id}`)).body).toEqual(created.body)
    expect(await w.teamEvents(team.id)).toEqual([
      {
        type: 'team.created',
        data: {
          team_id: team.id,
          org_id: w.org,
          name: 'Claims desk',
          member_count: 3,
          agent_ids: [...agents].reverse(),
        },
      },
    ])
  })

  it('accepts 2 to 50 agents, each once', async () => {
    const agents = await w.newAgents(51)
    const [first = '', second = ''] = agents
    for (const agent_ids of [[], [first], [first, first], agents]) {
      const refused = await w.create({ name: 'Wrong size', agent_ids })
      expect(refused.status).toBe(400)
      text(refused)
    }
    const doubled = await w.create({ name: 'Doubled', agent_ids: [first, second, first] })
    expect(doubled.body.team.member_count).toBe(2)
    const full = await w.create({ name: 'Full', agent_ids: [...agents.slice(0, 50), first] })
    expect(full.body.team.member_count).toBe(50)
  })

  it('names unknown, foreign and archived agents, all alike', async () => {
    const [own = ''] = await w.newAgents(1)
    const [gone = ''] = await w.newAgents(1)
    await w.call('DELETE', `/v1/agents/${gone}`, undefined, owner)
    const foreign = await w.newAgent({ agent_id: 'of-others' }, w.foreign)
    const hidden = await w.newAgent({ agent_id: 'hidden', visibility: 'private' }, w.foreign)
    for (const agentId of ['nobody', gone, foreign, hidden]) {
      const refused = await w.create({ name: 'Missing', agent_ids: [own, agentId] })
      expect(refused.status).toBe(404)
      expect(text(refused)).toBe(`The organisation has no agents with these ids: ${agentId}.`)
    }
  })

  it('refuses a name that differs only in case, until the other team is archived', async () => {
    const agent_ids = await w.newAgents(2)
    const created = await w.create({ name: 'Caf\u00e9 One', agent_ids })
    for (const name of ['Caf\u00e9 One', 'CAFE\u0301 ONE ', 'caf\u00e9 one']) {
      const refused = await w.create({ name, agent_ids })
      expect(refused.status).toBe(409)
      text(refused)
    }
    const all = Array.from({ length: 5 }, () => w.create({ name: 'At once', agent_ids }))
    const statuses = (await Promise.all(all)).map(({ status }) => status).sort()
    expect(statuses).toEqual([201, 409, 409, 409, 409])
    await w.call('DELETE', `/v1/teams/${created.body.team.id}`)
    expect((await w.create({ name: 'CAF\u00c9 ONE', agent_ids })).status).toBe(201)
  })

  it('validates the other fields', async () => {
    const agent_ids = await w.newAgents(2)
    const wrong = [
      { agent_ids },
      { name: '   ', agent_ids },
      { name: 'x'.repeat(101), agent_ids },
      { name: 'x', agent_ids: 'a' },
      { name: 'x', agent_ids, description: 'x'.repeat(501) },
      { name: 'x', agent_ids, metadata: [] },
      { name: 'x', agent_ids, metadata: { a: 'x'.repeat(16_384) } },
      { name: 'x', agent_ids, visibility: 'secret' },
      { name: 'x', agent_ids, org_id: 7 },
    ]
    for (const body of wrong) {
      const refused = await w.create(body)
      expect(refused.status, JSON.stringify(body).slice(0, 80)).toBe(400)
      text(refused)
    }
    const elsewhere = await w.create({ name: 'x', agent_ids, org_id: 'org-unknown' })
    expect([elsewhere.status, text(elsewhere)]).toEqual([404, 'No such organisation.'])
  })
})

describe('PATCH /v1/teams/{team_id}', () => {
  it('changes the given fields, and replaces metadata as a whole', async () => {
    const { teamId } = await w.newTeam({ metadata: { a: 1, b: 2 } })
    w.t.clock.advance(1000)
    const changed = await w.call('PATCH', `/v1/teams/${teamId}`, {
      name: 'Renamed',
      description: 'Now with words',
      metadata: { c: 3 },
      visibility: 'private',
    })
    expect(changed).toMatchObject({
      status: 200,
      body: {
        id: teamId,
        name: 'Renamed',
        description: 'Now with words',
        metadata: { c: 3 },
        visibility: 'private',
        member_count: 2,
        updated_at: w.t.clock.now().toISOString(),
      },
    })
    const back = await w.call('PATCH', `/v1/teams/${teamId}`, { description: null })
    expect(back.body).toMatchObject({ description: null, name: 'Renamed', metadata: { c: 3 } })
  })

  it('requires a change, and a name that is not taken', async () => {
    const { teamId } = await w.newTeam({ name: 'Patched' })
    await w.newTeam({ name: 'Taken' })
    expect((await w.call('PATCH', `/v1/teams/${teamId}`, { colour: 'red' })).status).toBe(400)
    const taken = await w.call('PATCH', `/v1/teams/${teamId}`, { name: 'TAKEN' })
    expect([taken.status, text(taken)]).toEqual([
      409,
      'The organisation already has a team of this name.',
    ])
    expect((await w.call('PATCH', `/v1/teams/${teamId}`, { name: 'PATCHED' })).status).toBe(200)
  })
})

describe('an archived team', () => {
  it('stays readable and refuses every change', async () => {
    const { teamId, agentIds } = await w.newTeam()
    const [more] = await w.newAgents(1)
    const url = `/v1/teams/${teamId}`
    for (let n = 0; n < 2; n += 1) {
      const answer = await w.call('DELETE', url)
      expect(answer).toMatchObject({ status: 200, body: { archived: true, team_id: teamId } })
    }
    const { body } = await w.get(url)
    expect(body.team).toMatchObject({
      status: 'archived',
      archived_at: w.t.clock.now().toISOString(),
    })
    expect(body.members).toHaveLength(2)
    const writes = [
      w.call('PATCH', url, { name: 'New name' }),
      w.call('POST', `${url}/members`, { agent_ids: [more] }),
      w.call('DELETE', `${url}/members/${agentIds[0]}`),
      w.call('POST', `${url}/card/derive`),
      w.call('POST', `${url}/reputation/recompute`),
    ]
    for (const write of writes) {
      const refused = await write
      expect(refused.status).toBe(409)
      text(refused)
    }
    const events = (await w.teamEvents(teamId)).map(({ type }) => type)
    expect(events.filter((type) => type === 'team.archived')).toHaveLength(1)
  })

  it('is listed separately from the active ones', async () => {
    const { teamId } = await w.newTeam({ name: 'Listed then archived' })
    const list = async (query: string) => (await w.get(`/v1/orgs/${w.org}/teams${query}`)).body
    const before = await list('')
    expect(before).toMatchObject({ page: 1, per_page: 50 })
    expect(before.teams.map((team: { id: string }) => team.id)).toContain(teamId)
    await w.call('DELETE', `/v1/teams/${teamId}`)
    const active = await list('?status=active&per_page=1000')
    expect(active.per_page).toBe(200)
    expect(active.teams.map((team: { id: string }) => team.id)).not.toContain(teamId)
    const archived = await list('?status=archived&per_page=1')
    expect(archived.teams).toHaveLength(1)
    expect(archived.total).toBeGreaterThanOrEqual(1)
    expect((await w.get(`/v1/orgs/${w.org}/teams?status=lost`)).status).toBe(400)
    expect((await w.get(`/v1/orgs/${w.org}/teams?per_page=0`)).status).toBe(400)
  })
})

describe('access to a team', () => {
  it('is 404 for other organisations, as for an unknown team', async () => {
    const { teamId, agentIds } = await w.newTeam()
    const paths: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', ''],
      ['POST', '/members', { agent_ids: ['x'] }],
      ['DELETE', `/members/${agentIds[0]}`],
      ['GET', '/roster-history'],
      ['GET', '/card'],
      ['PUT', '/card', {}],
      ['POST', '/card/derive'],
      ['GET', '/card/history'],
      ['POST', '/reputation/recompute'],
    ]
    for (const [method, path, body] of paths) {
      const theirs = await w.call(method, `/v1/teams/${teamId}${path}`, body, w.foreign)
      const unknown = await w.call(method, `/v1/teams/team-unknown${path}`, body)
      expect([theirs.status, theirs.body]).toEqual([404, { error: 'No such team.' }])
      expect([unknown.status, unknown.body]).toEqual([theirs.status, theirs.body])
    }
  })

  it('depends on the role and on the plan', async () => {
    const { teamId } = await w.newTeam()
    const admin = `/v1/admin/orgs/${w.org}/plan`
    const setPlan = (plan_id: string) => w.call('PUT', admin, { plan_id, status: 'active' }, owner)
    const member = await w.t.newUser('member@example.com', { orgId: w.org, role: 'member' })
    const asMember = (method: string) => w.call(method, `/v1/teams/${teamId}`, {}, member.token)
    expect((await asMember('GET')).status).toBe(200)
    const refused = await asMember('DELETE')
    expect([refused.status, text(refused)]).toEqual([
      403,
      'Your role (member) does not allow this.',
    ])
    expect((await setPlan('plan-developer')).status).toBe(200)
    expect(text(await w.get(`/v1/teams/${teamId}`))).toContain('team_reputation')
    expect((await w.get(`/v1/teams/${teamId}`)).status).toBe(403)
    expect((await setPlan('plan-enterprise')).status).toBe(200)
    expect((await w.call('GET', `/v1/teams/${teamId}`, undefined, '')).status).toBe(401)
  })
})
