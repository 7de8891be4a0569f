import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  checkpointWorld,
  MENTION,
  newCheckpointId,
  textOf,
  VIOLATION,
  type World,
} from '#harness/checkpoints.ts'

let w: World
let owner: string
beforeAll(async () => {
  w = await checkpointWorld()
  owner = await w.t.ownerToken()
})

const conflict = { status: 409, body: { error: 'conflict' } }

describe('a checkpoint id', () => {
  it('repeated with the same content is answered 200 with the stored result', async () => {
    const agentId = await w.newAgent()
    const used = await w.checksUsed()
    const body = { checkpoint_id: newCheckpointId(), thinking: textOf(1, MENTION), session_id: 's' }
    const first = await w.post(agentId, body)
    w.t.clock.advance(1700)
    const again = await w.post(agentId, { ...body, model: 'other', actions: ['search'] })
    expect(again.status).toBe(200)
    expect(again.body).toEqual({ ...first.body, duplicate: true })
    expect(await w.chainOf(agentId)).toHaveLength(1)
    expect(await w.checksUsed()).toBe(used + 1)
    expect((await w.eventsOf(agentId)).map((event) => event.type)).toEqual([
      'conscience.escalation',
      'integrity.checkpoint',
    ])
  })

  it('can be repeated an hour later even if its session was never named', async () => {
    const agentId = await w.newAgent()
    const body = { checkpoint_id: newCheckpointId(), thinking: textOf(2) }
    await w.post(agentId, body)
    w.t.clock.advance(3_600_000)
    expect((await w.post(agentId, body)).status).toBe(200)
    owner = await w.t.ownerToken()
  })

  it('is never reused for different content, and does not reveal whose it is', async () => {
    const [agentId, sibling] = [await w.newAgent(), await w.newAgent()]
    const elsewhere = await w.newAgent({}, w.foreign)
    const body = {
      checkpoint_id: newCheckpointId(),
      thinking: textOf(3),
      output: textOf(4),
      session_id: 's1',
    }
    await w.post(agentId, body)
    const answers = [
      await w.post(agentId, { ...body, thinking: textOf(5) }),
      await w.post(agentId, { ...body, output: undefined }),
      await w.post(agentId, { ...body, session_id: 's2' }),
      await w.post(sibling, body),
      await w.post(elsewhere, body, w.foreign),
    ]
    for (const answer of answers) {
      expect(answer).toMatchObject(conflict)
      expect(answer.body).toEqual(answers[0]?.body)
    }
    expect(await w.chainOf(agentId)).toHaveLength(1)
    expect(await w.chainOf(sibling)).toHaveLength(0)
    expect(await w.chainOf(elsewhere)).toHaveLength(0)
  })

  it('sent twice concurrently is stored once, and both callers get the same result', async () => {
    const agentId = await w.newAgent()
    const body = { checkpoint_id: newCheckpointId(), thinking: textOf(6, VIOLATION) }
    const answers = await Promise.all(Array.from({ length: 8 }, () => w.post(agentId, body)))
    const statuses = answers.map((answer) => answer.status).sort()
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    for (const { body: answered } of answers) {
      expect(answered.attestation).toEqual(answers[0]?.body.attestation)
      expect(answered.checkpoint).toEqual(answers[0]?.body.checkpoint)
    }
    expect(await w.chainOf(agentId)).toHaveLength(1)
    expect(await w.eventsOf(agentId)).toHaveLength(3)
  })

  it('sent by several agents concurrently goes to one of them', async () => {
    const agents = await Promise.all(Array.from({ length: 4 }, () => w.newAgent()))
    const elsewhere = await w.newAgent({}, w.foreign)
    const body = { checkpoint_id: newCheckpointId(), thinking: textOf(7) }
    const answers = await Promise.all([
      ...agents.map((agentId) => w.post(agentId, body)),
      w.post(elsewhere, body, w.foreign),
    ])
    const statuses = answers.map((answer) => answer.status).sort()
    expect(statuses).toEqual([201, 409, 409, 409, 409])
    const chains = await Promise.all([...agents, elsewhere].map((id) => w.chainOf(id)))
    expect(chains.flat()).toHaveLength(1)
  })

  it('is unnecessary if the request has an idempotency key', async () => {
    const agentId = await w.newAgent()
    const url = `/v1/agents/${agentId}/checkpoints`
    const call = (body: object) =>
      w.t.call('POST', url, { token: w.key, body, headers: { 'idempotency-key': 'once' } })
    const first = await call({ thinking: textOf(8) })
    const again = await call({ thinking: textOf(8) })
    expect(again).toMatchObject({ status: 201, body: first.body })
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(await call({ thinking: textOf(9) })).toMatchObject({
      status: 422,
      body: { error: 'idempotency_mismatch' },
    })
    expect(await w.chainOf(agentId)).toHaveLength(1)
  })
})

describe('submitting a checkpoint', () => {
  const body = { thinking: textOf(20) }

  it('answers 404 alike for an unknown agent and another organisation’s', async () => {
    const elsewhere = await w.newAgent({}, w.foreign)
    const unknown = await w.post('agent-unknown', body)
    expect(unknown).toMatchObject({ status: 404, body: { error: 'agent_not_found' } })
    const foreign = await w.post(elsewhere, body)
    expect([foreign.status, foreign.body]).toEqual([404, unknown.body])
    // The agent in the path is checked before the body.
    expect((await w.post(elsewhere, { verdict: 'clear' })).status).toBe(404)
  })

  it('is allowed for owners, admins and members, but not for auditors', async () => {
    const agentId = await w.newAgent()
    expect((await w.post(agentId, body, owner)).status).toBe(201)
    for (const [role, status] of [
      ['admin', 201],
      ['member', 201],
      ['auditor', 403],
    ] as const) {
      const person = await w.t.newUser(`${role}@example.com`, { orgId: w.org, role })
      expect((await w.post(agentId, body, person.token)).status, role).toBe(status)
      const batch = await w.batch([{ agent_id: agentId, ...body }], person.token)
      expect(batch.status, role).toBe(status === 201 ? 200 : 403)
    }
    const anonymous = await w.t.call('POST', `/v1/agents/${agentId}/checkpoints`, { body })
    expect(anonymous.status).toBe(401)
  })

  it('requires X-Org-Id from a person of several organisations only for a batch', async () => {
    const agentId = await w.newAgent()
    const person = await w.t.newUser('several@example.com', { orgId: w.org, role: 'member' })
    const place = { name: 'Third', slug: 'third-one' }
    await w.t.call('POST', '/v1/orgs', { token: person.token, body: place })
    expect((await w.post(agentId, body, person.token)).status).toBe(201)
    const checkpoints = [{ agent_id: agentId, ...body }]
    expect((await w.batch(checkpoints, person.token)).status).toBe(400)
    const named = await w.t.call('POST', '/v1/checkpoints/batch', {
      token: person.token,
      body: { checkpoints },
      headers: { 'x-org-id': w.org },
    })
    expect(named).toMatchObject({ status: 200, body: { accepted: 1 } })
  })

  it('requires the scope ingest of an API key', async () => {
    const agentId = await w.newAgent()
    for (const [scope, status] of [
      ['ingest', 201],
      ['read', 403],
      ['write', 403],
    ] as const) {
      const created = await w.t.call('POST', `/v1/orgs/${w.org}/api-keys`, {
        token: owner,
        body: { role: 'member', scopes: [scope] },
      })
      expect((await w.post(agentId, body, created.body.key)).status, scope).toBe(status)
      const url = `/v1/agents/${agentId}/checkpoints`
      const read = await w.get(url, created.body.key)
      expect(read.status, scope).toBe(scope === 'read' ? 200 : 403)
    }
  })

  it('answers 409 for an archived agent, whose checkpoints stay readable to its owner', async () => {
    const agentId = await w.newAgent()
    const created = await w.post(agentId, { ...body, checkpoint_id: newCheckpointId() })
    const id = created.body.checkpoint.checkpoint_id
    await w.t.call('DELETE', `/v1/agents/${agentId}`, { token: owner })
    expect(await w.post(agentId, body)).toMatchObject(conflict)
    expect(await w.post(agentId, { ...body, dry_run: true })).toMatchObject(conflict)
    const read = await w.get(`/v1/checkpoints/${id}`)
    expect(read.body).toEqual({ ...created.body.checkpoint, log_index: null })
    expect((await w.get(`/v1/agents/${agentId}/checkpoints`)).body.total).toBe(1)
    expect(await w.chainOf(agentId)).toHaveLength(1)
  })

  it.each(['paused', 'killed'])('is allowed while the agent is %s', async (status) => {
    const agentId = await w.newAgent()
    await sql`update agent set status = ${status} where agent_id = ${agentId}`.execute(
      w.t.app.kernel.db,
    )
    expect((await w.post(agentId, body)).status).toBe(201)
  })
})

describe('reading a checkpoint', () => {
  it('answers 404 alike for an unknown checkpoint and another organisation’s', async () => {
    const agentId = await w.newAgent()
    const created = await w.post(agentId, { thinking: textOf(30) })
    const url = `/v1/checkpoints/${created.body.checkpoint.checkpoint_id}`
    const unknown = await w.get(`/v1/checkpoints/${newCheckpointId()}`)
    expect(unknown).toMatchObject({ status: 404, body: { error: 'checkpoint_not_found' } })
    expect((await w.get(url, w.foreign)).body).toEqual(unknown.body)
    expect((await w.get('/v1/checkpoints/nonsense')).body).toEqual(unknown.body)
    expect((await w.t.call('GET', url)).status).toBe(401)
    for (const name of ['checkpoints', 'integrity', 'sessions']) {
      const foreign = await w.get(`/v1/agents/${agentId}/${name}`, w.foreign)
      expect(foreign, name).toMatchObject({ status: 404, body: { error: 'agent_not_found' } })
      const nowhere = await w.get(`/v1/agents/agent-unknown/${name}`)
      expect(nowhere.body, name).toEqual(foreign.body)
      expect((await w.t.call('GET', `/v1/agents/${agentId}/${name}`)).status, name).toBe(401)
    }
  })

  it('returns an ETag and honours If-None-Match', async () => {
    const agentId = await w.newAgent()
    const created = await w.post(agentId, { thinking: textOf(32) })
    const url = `/v1/checkpoints/${created.body.checkpoint.checkpoint_id}`
    const first = await w.get(url)
    const headers = { 'if-none-match': String(first.headers['etag']) }
    expect((await w.t.call('GET', url, { token: w.key, headers })).status).toBe(304)
    expect(first.headers['cache-control']).toBe('no-store')
  })

  it('is allowed for auditors, and for a person of several organisations without naming one', async () => {
    const agentId = await w.newAgent()
    const created = await w.post(agentId, { thinking: textOf(31) })
    const url = `/v1/checkpoints/${created.body.checkpoint.checkpoint_id}`
    const person = await w.t.newUser('both@example.com', { orgId: w.org, role: 'auditor' })
    const second = { name: 'Second', slug: 'second-one' }
    await w.t.call('POST', '/v1/orgs', { token: person.token, body: second })
    expect((await w.get(url, person.token)).status).toBe(200)
    expect((await w.get(`/v1/agents/${agentId}/checkpoints`, person.token)).status).toBe(200)
  })
})
