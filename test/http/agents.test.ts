import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, type TestUser, testApp } from '#harness/app.ts'

let t: TestApp
let owner: string
let org: string
let key: string
let member: TestUser
let stranger: TestUser

beforeAll(async () => {
  t = await testApp()
  owner = await t.ownerToken()
  org = t.first.org_id
  key = t.first.api_key
  member = await t.newUser('member@example.com', { orgId: org, role: 'member' })
  stranger = await t.newUser('stranger@example.com')
})

const register = (body: object, token = key) => t.call('POST', '/v1/agents', { token, body })
const get = (id: string, token?: string) => t.call('GET', `/v1/agents/${id}`, { token })
const proofOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

describe('registering an agent', () => {
  it('returns the agent, and its secret only this once', async () => {
    const created = await register({ name: 'Buyer', metadata: { team: 'a' } })
    expect(created.status).toBe(201)
    expect(created.body.agent).toMatchObject({
      name: 'Buyer',
      description: null,
      visibility: 'public',
      status: 'active',
      claimed: false,
      org_id: org,
      enforcement_mode: 'observe',
      card_version: 1,
      metadata: { team: 'a' },
      last_seen_at: null,
    })
    expect(created.body.agent.agent_id).toMatch(/^agent-[0-9a-f]{12}$/)
    expect(created.body.agent_secret).toMatch(/^ask_[A-Za-z0-9_-]{43}$/)
    const rows =
      await sql<object>`select * from agent where agent_id = ${created.body.agent.agent_id}`.execute(
        t.app.kernel.db,
      )
    expect(JSON.stringify(rows.rows)).not.toContain(created.body.agent_secret)
  })

  it('accepts an id chosen by the caller and never accepts the same id again', async () => {
    const created = await register({ agent_id: 'did:web:example.com:buyer' })
    expect(created.body.agent).toMatchObject({
      agent_id: 'did:web:example.com:buyer',
      name: 'did:web:example.com:buyer',
    })
    const again = await register({ agent_id: 'did:web:example.com:buyer' })
    expect(again).toMatchObject({ status: 409, body: { error: 'conflict' } })
    for (const id of ['ab', '-abc', 'a b c', 'x'.repeat(129)]) {
      expect((await register({ agent_id: id })).status, id).toBe(400)
    }
  })

  it('generates no secret if the request contains a hash of one', async () => {
    const hash = proofOf('kept by myself')
    const created = await register({ agent_hash: hash })
    expect(created.body).not.toHaveProperty('agent_secret')
    const claimed = await t.call('POST', `/v1/agents/${created.body.agent.agent_id}/claim`, {
      token: member.token,
      body: { hash_proof: hash },
    })
    expect(claimed.status).toBe(200)
  })

  it('refuses an invalid card with its error codes and stores nothing', async () => {
    const agentId = 'agent-faulty'
    const malformed = await register({ agent_id: agentId, card: { principal: {} } })
    expect(malformed).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(malformed.body.details.map((d: { code: string }) => d.code)).toContain('required')
    const wrong = await register({
      agent_id: agentId,
      card: card({ forbidden_actions: ['search'] }),
    })
    expect(wrong).toMatchObject({ status: 422, body: { error: 'validation_error' } })
    expect(wrong.body.details[0].code).toBe('bounded_forbidden_overlap')
    expect((await get(agentId, key)).status).toBe(404)
  })

  it('requires permission in the organisation that the request names', async () => {
    const auditor = await t.newUser('agent-auditor@example.com', { orgId: org, role: 'auditor' })
    expect((await register({}, auditor.token)).status).toBe(403)
    expect((await register({}, stranger.token)).status).toBe(400)
    expect((await register({ org_id: org }, stranger.token)).status).toBe(404)
    expect((await register({ org_id: 'org-other' })).status).toBe(404)
    expect((await register({}, member.token)).status).toBe(201)
  })
})

describe('reading agents', () => {
  it('shows outsiders fewer fields, and answers 404 for a private or archived agent', async () => {
    const open = (await register({ name: 'Open' })).body.agent.agent_id
    const seen = await get(open)
    expect(seen.status).toBe(200)
    expect(seen.body).not.toHaveProperty('org_id')
    expect(seen.body).not.toHaveProperty('metadata')
    expect((await get(open, key)).body.org_id).toBe(org)
    const hidden = (await register({ visibility: 'private' })).body.agent.agent_id
    expect(await get(hidden)).toMatchObject({ status: 404, body: { error: 'agent_not_found' } })
    expect((await get(hidden)).body).toEqual((await get('agent-unknown')).body)
    expect((await get(hidden, key)).status).toBe(200)
    await t.call('DELETE', `/v1/agents/${open}`, { token: owner })
    expect((await get(open)).status).toBe(404)
    expect((await get(open, key)).body.status).toBe('archived')
  })

  it('lists the organisation’s agents, filtered by part of a name, visibility and status', async () => {
    await register({ agent_id: 'list-1', name: '100%_match', visibility: 'unlisted' })
    const list = (query: string) => t.call('GET', `/v1/agents?${query}`, { token: key })
    const found = await list('q=0%25_m')
    expect(found.body).toMatchObject({ total: 1, page: 1, per_page: 20 })
    expect((await list('q=LIST-1')).body.total).toBe(1)
    expect((await list('q=%25')).body.total).toBe(1)
    expect((await list('visibility=unlisted')).body.agents[0].agent_id).toBe('list-1')
    const archived = await list('status=archived')
    expect(archived.body.total).toBe(1)
    const all = await t.call('GET', `/v1/orgs/${org}/agents?per_page=1000`, { token: member.token })
    expect(all.body.per_page).toBe(100)
    expect(all.body.agents.map((a: { status: string }) => a.status)).not.toContain('archived')
  })
})

describe('changing an agent', () => {
  it('is limited to owners and admins, and refused once the agent is archived', async () => {
    const id = (await register({ name: 'Old' })).body.agent.agent_id
    const patch = (token: string) =>
      t.call('PATCH', `/v1/agents/${id}`, { token, body: { name: 'New', visibility: 'private' } })
    expect((await patch(member.token)).status).toBe(403)
    expect((await patch(stranger.token)).status).toBe(404)
    expect((await patch(key)).body).toMatchObject({ name: 'New', visibility: 'private' })
    const gone = await t.call('DELETE', `/v1/agents/${id}`, { token: owner })
    expect(gone.status).toBe(204)
    expect(await patch(key)).toMatchObject({ status: 409, body: { error: 'conflict' } })
    // The second value has fewer characters than the limit, but more bytes.
    for (const text of ['x'.repeat(17_000), 'é'.repeat(9_000)]) {
      expect((await register({ metadata: { text } })).status).toBe(400)
    }
  })

  it('sets the enforcement mode', async () => {
    const id = (await register({})).body.agent.agent_id
    const url = `/v1/agents/${id}/enforcement`
    const mode = (m: string, token = key) => t.call('PUT', url, { token, body: { mode: m } })
    const nudged = {
      agent_id: id,
      enforcement_mode: 'nudge',
      nudge_strategy: 'always',
      nudge_rate: 100,
      nudge_threshold: 3,
    }
    expect((await mode('nudge')).body).toEqual({ ...nudged, updated: true })
    expect((await mode('shout')).status).toBe(400)
    expect((await mode('enforce', member.token)).status).toBe(403)
    const read = await t.call('GET', url, { token: member.token })
    expect(read.body).toEqual(nudged)
    expect((await t.call('GET', url, { token: stranger.token })).body.error).toBe('agent_not_found')
  })
})

describe('claiming an agent', () => {
  const claim = (id: string, proof: string, token: string) =>
    t.call('POST', `/v1/agents/${id}/claim`, { token, body: { hash_proof: proof } })

  it('requires the proof, succeeds once, and repeats its response for the same person', async () => {
    const { agent, agent_secret: secret } = (await register({})).body
    const id = agent.agent_id
    expect((await claim(id, 'nonsense', member.token)).status).toBe(400)
    expect((await claim(id, proofOf('wrong'), member.token)).status).toBe(403)
    expect((await claim(id, proofOf(secret), stranger.token)).status).toBe(403)
    const first = await claim(id, proofOf(secret), member.token)
    expect(first.body).toMatchObject({ claimed: true, agent_id: id })
    t.clock.advance(1000)
    expect((await claim(id, proofOf(secret), member.token)).body).toEqual(first.body)
    expect((await claim(id, proofOf(secret), owner)).status).toBe(409)
    expect((await get(id, key)).body).toMatchObject({
      claimed: true,
      owner_user_id: member.userId,
      owner_email: 'member@example.com',
    })
  })

  it('answers 404 to an outsider if the agent is private', async () => {
    const { agent, agent_secret: secret } = (await register({ visibility: 'private' })).body
    expect((await claim(agent.agent_id, proofOf(secret), stranger.token)).status).toBe(404)
    expect((await claim(agent.agent_id, 'nonsense', stranger.token)).status).toBe(404)
  })

  it('is limited to five attempts a minute per agent', async () => {
    const limited = await testApp({ env: { RATE_LIMITS: 'on' } })
    const token = await limited.ownerToken()
    const body = { hash_proof: proofOf('guess') }
    const created = await limited.call('POST', '/v1/agents', {
      token: limited.first.api_key,
      body: {},
    })
    const url = `/v1/agents/${created.body.agent.agent_id}/claim`
    for (let n = 0; n < 5; n += 1) {
      expect((await limited.call('POST', url, { token, body })).status).toBe(403)
    }
    expect((await limited.call('POST', url, { token, body })).status).toBe(429)
  })
})

describe('erasing an agent', () => {
  it('hides the agent immediately, deletes it after 30 days, and never frees its id', async () => {
    const id = (await register({ agent_id: 'erase-me', name: 'Secret name' })).body.agent.agent_id
    const erase = (confirm: string) =>
      t.call('POST', `/v1/agents/${id}/erase`, { token: owner, body: { confirm } })
    expect((await erase('something else')).status).toBe(400)
    const asked = await erase(id)
    expect(asked.status).toBe(202)
    const days = Date.parse(asked.body.purge_after) - t.clock.nowMs()
    expect(days).toBe(30 * 86_400_000)
    expect((await get(id)).status).toBe(404)
    t.clock.advance(31 * 86_400_000)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    expect((await get(id, key)).status).toBe(404)
    expect((await register({ agent_id: 'erase-me' })).status).toBe(409)
    const left = await sql<object>`select * from card_version where agent_id = ${id}`.execute(
      t.app.kernel.db,
    )
    expect(left.rows).toEqual([])
    owner = await t.ownerToken()
  })

  it('is scheduled when the organisation is deleted, and cancelled when it is restored', async () => {
    const created = await t.call('POST', '/v1/orgs', {
      token: owner,
      body: { name: 'Short', slug: 'short' },
    })
    const agent = await register({ agent_id: 'of-short', org_id: created.body.org_id }, owner)
    expect(agent.status).toBe(201)
    await t.call('DELETE', `/v1/orgs/${created.body.org_id}`, { token: owner })
    expect((await get('of-short')).status).toBe(404)
    await t.call('POST', `/v1/admin/orgs/${created.body.org_id}/restore`, { token: owner })
    expect((await get('of-short')).body.status).toBe('active')
  })

  it('is cancelled by restoring the organisation even for agents archived before its deletion', async () => {
    const body = { name: 'Back', slug: 'back' }
    const org = (await t.call('POST', '/v1/orgs', { token: owner, body })).body.org_id
    await register({ agent_id: 'archived-before', org_id: org }, owner)
    await t.call('DELETE', '/v1/agents/archived-before', { token: owner })
    await t.call('DELETE', `/v1/orgs/${org}`, { token: owner })
    await t.call('POST', `/v1/admin/orgs/${org}/restore`, { token: owner })
    t.clock.advance(31 * 86_400_000)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    owner = await t.ownerToken()
    const kept = await get('archived-before', owner)
    expect(kept.body).toMatchObject({ agent_id: 'archived-before', status: 'archived' })
  })

  it('keeps the original date if requested twice', async () => {
    await register({ agent_id: 'erase-twice' })
    const url = '/v1/agents/erase-twice/erase'
    const ask = { token: owner, body: { confirm: 'erase-twice' } }
    const first = await t.call('POST', url, ask)
    t.clock.advance(1000)
    expect((await t.call('POST', url, ask)).body).toEqual(first.body)
  })
})

function card(envelope: object = {}) {
  return {
    principal: { type: 'human', relationship: 'delegated_authority' },
    values: { declared: ['transparency', 'honesty'] },
    autonomy_envelope: { bounded_actions: ['search'], ...envelope },
    audit_commitment: { retention_days: 90, queryable: false },
  }
}
