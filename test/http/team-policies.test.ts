import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TeamWorld, teamWorld } from '#harness/teams.ts'

type Document = Record<string, unknown>
type Vector = {
  id: string
  resolved_from: { org: string | null; agent: string | null }
  teams?: Document[]
  policy?: Document
  tools: string[]
  expected: {
    capability_mappings?: Document
    defaults?: Document
    errors: { tool: string; problem: string }[]
  }
}
type Vectors = {
  fixtures: { policies: Record<string, Document> }
  transaction_merge: Vector[]
}

const VECTORS: Vectors = JSON.parse(
  readFileSync(new URL('../../vectors/policy/policy.json', import.meta.url), 'utf8'),
)

let w: TeamWorld

beforeAll(async () => {
  w = await teamWorld()
})

const META = { schema_version: '1.0', name: 'Team rules', scope: 'team' }
const REFUND = 'mcp__payment__refund'

const urlOf = (teamId: string, path = '') => `/v1/teams/${teamId}/policy${path}`
const put = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  w.t.call('PUT', url, { token: w.key, body, headers })
const begin = (body: object) =>
  w.call('POST', '/v1/transactions', {
    description: 'Refund 1182',
    action_type: 'financial_operation',
    tools: [REFUND],
    ...body,
  })

describe('the policy of a team', () => {
  it('is written, read, versioned and deleted like other policies', async () => {
    const { teamId } = await w.newTeam()
    const none = await w.get(urlOf(teamId))
    expect(none).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect(none.body.message).toBeTypeOf('string')
    const forbidden = [{ pattern: 'shell*', reason: 'No shell', severity: 'high' }]
    const saved = await put(urlOf(teamId), { meta: META, forbidden })
    expect(saved).toMatchObject({
      status: 200,
      body: { version: 1, meta: META, forbidden, warnings: [], id: expect.stringMatching(/^pol-/) },
    })
    expect(saved.headers['etag']).toBe('"v1"')
    expect((await w.get(urlOf(teamId))).body).toMatchObject({ version: 1, meta: META })
    expect((await put(urlOf(teamId), { meta: META }, { 'if-match': '"v7"' })).status).toBe(412)
    const yaml = await w.t.call('PUT', urlOf(teamId), {
      token: w.key,
      headers: { 'content-type': 'application/yaml' },
      body: 'meta:\n  schema_version: "1.0"\n  name: Team rules\n  scope: team\n',
    })
    expect(yaml.body).toMatchObject({ version: 2, forbidden: [] })
    expect((await w.call('DELETE', urlOf(teamId))).status).toBe(204)
    const history = await w.get(urlOf(teamId, '/history'))
    expect(history.body.versions.map((one: { deleted: boolean }) => one.deleted)).toEqual([
      true,
      false,
      false,
    ])
    expect((await w.get(urlOf(teamId, '/versions/1'))).body).toMatchObject({ forbidden })
    expect((await w.get(urlOf(teamId, '/versions/3'))).status).toBe(404)
    expect((await w.call('DELETE', urlOf(teamId))).status).toBe(404)
  })

  it('must have scope team, and warns about tools that its organisation forbids', async () => {
    const { teamId } = await w.newTeam()
    const wrong = await put(urlOf(teamId), { meta: { ...META, scope: 'agent' } })
    expect(wrong).toMatchObject({
      status: 422,
      body: { error: 'validation_error', details: [{ code: 'scope_mismatch' }] },
    })
    const orgUrl = `/v1/orgs/${w.org}/policy`
    await put(orgUrl, {
      meta: { ...META, scope: 'org' },
      forbidden: [{ pattern: 'shell*', reason: 'No shell', severity: 'high' }],
    })
    const saved = await put(urlOf(teamId), {
      meta: META,
      capability_mappings: { run: { tools: ['shell_run'], card_actions: ['run'] } },
    })
    expect(saved.body.warnings).toMatchObject([{ code: 'shadowed_mapping' }])
    await w.call('DELETE', orgUrl)
  })

  it('cannot be changed once the team is archived, but stays readable', async () => {
    const { teamId } = await w.newTeam()
    await put(urlOf(teamId), { meta: META })
    await w.call('DELETE', `/v1/teams/${teamId}`)
    expect(await put(urlOf(teamId), { meta: META })).toMatchObject({
      status: 409,
      body: { error: 'conflict' },
    })
    expect((await w.call('DELETE', urlOf(teamId))).status).toBe(409)
    expect((await w.get(urlOf(teamId))).status).toBe(200)
  })

  it('is 404 for other organisations', async () => {
    const { teamId } = await w.newTeam()
    await put(urlOf(teamId), { meta: META })
    for (const url of [urlOf(teamId), urlOf(teamId, '/history'), urlOf('team-unknown')]) {
      const refused = await w.get(url, w.foreign)
      expect(refused).toMatchObject({ status: 404, body: { error: 'not_found' } })
    }
  })
})

/** Writes the policies of organisation and agent that a vector names. */
async function writePolicies({ resolved_from }: Vector, agentId: string): Promise<void> {
  for (const [kind, name] of Object.entries(resolved_from)) {
    const document = name === null ? undefined : VECTORS.fixtures.policies[name]
    const url = kind === 'org' ? `/v1/orgs/${w.org}/policy` : `/v1/agents/${agentId}/policy`
    if (document === undefined) await w.call('DELETE', url)
    else expect((await put(url, document)).status).toBe(200)
  }
}

describe('the team layer of a transaction', () => {
  const layered = VECTORS.transaction_merge.filter(({ teams = [] }) => teams.length > 0)

  it('is covered by the vectors', () => {
    expect(layered.length).toBeGreaterThan(0)
  })

  it.each(layered.map((vector) => [vector.id, vector] as const))('%s', async (_, vector) => {
    const [agentId = '', other = ''] = await w.newAgents(2)
    await writePolicies(vector, agentId)
    for (const document of vector.teams ?? []) {
      const { teamId } = await w.newTeam({ agent_ids: [agentId, other] })
      const policy = { ...document, meta: META }
      expect((await put(urlOf(teamId), policy)).status).toBe(200)
    }
    const { policy, tools, expected } = vector
    const created = await begin({
      agent_id: agentId,
      tools,
      ...(policy === undefined ? {} : { policy }),
    })
    await w.call('DELETE', `/v1/orgs/${w.org}/policy`)
    if (expected.errors.length > 0) {
      expect(created).toMatchObject({ status: 422, body: { error: 'validation_error' } })
      return
    }
    expect(created.status, created.text).toBe(201)
    expect(created.body.team_ids).toHaveLength(vector.teams?.length ?? 0)
    const { capability_mappings, defaults } = created.body.merged_policy
    expect({ capability_mappings, defaults }).toMatchObject({
      capability_mappings: expected.capability_mappings ?? {},
      defaults: expected.defaults ?? {},
    })
  })

  it('merges all teams of the agent, or only the one named', async () => {
    const [agentId = '', other = ''] = await w.newAgents(2)
    const forbid = { pattern: REFUND, reason: 'Not here', severity: 'critical' }
    const strict = await w.newTeam({ agent_ids: [agentId, other] })
    const lenient = await w.newTeam({ agent_ids: [agentId, other] })
    const elsewhere = await w.newTeam()
    await put(urlOf(strict.teamId), { meta: META, forbidden: [forbid] })
    const refused = await begin({ agent_id: agentId })
    expect(refused.status).toBe(422)
    expect(refused.body.message).toMatch(/^policy merge conflict/)
    const created = await begin({ agent_id: agentId, team_id: lenient.teamId })
    expect(created).toMatchObject({ status: 201, body: { team_ids: [lenient.teamId] } })
    const missing = await begin({ agent_id: agentId, team_id: elsewhere.teamId })
    expect(missing).toMatchObject({ status: 404, body: { error: 'not_found' } })
    await w.call('DELETE', `/v1/teams/${strict.teamId}`)
    const free = await begin({ agent_id: agentId })
    expect(free).toMatchObject({ status: 201, body: { team_ids: [lenient.teamId] } })
  })

  it("follows a change of the team's policy immediately", async () => {
    const [agentId = '', other = ''] = await w.newAgents(2)
    const { teamId } = await w.newTeam({ agent_ids: [agentId, other] })
    const { body } = await begin({ agent_id: agentId })
    const evaluate = () =>
      w.call('POST', '/v1/policies/evaluate', {
        agent_id: agentId,
        tools: [REFUND],
        transaction_id: body.transaction_id,
      })
    expect((await evaluate()).body.verdict).not.toBe('fail')
    await put(urlOf(teamId), {
      meta: META,
      forbidden: [{ pattern: REFUND, reason: 'Not any more', severity: 'critical' }],
      defaults: { enforcement_mode: 'enforce', grace_period_hours: 0 },
    })
    expect((await evaluate()).body).toMatchObject({
      verdict: 'fail',
      violations: [{ type: 'forbidden', reason: 'Not any more' }],
    })
  })
})
