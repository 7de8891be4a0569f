import { certificateHash } from '@touchstone/protocol/evidence'
import { type RawBuilder, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'
import { tamper } from '../../packages/server/src/areas/evidence/attestation/attestation.fixture.ts'

const SHARED_MS = 10_000

let w: ScoreWorld
let shown: string

beforeAll(async () => {
  w = await scoreWorld()
  shown = await rated()
})

async function rated(changes: object = {}): Promise<string> {
  const agentId = await w.newAgent(changes)
  await w.sendCheckpoints(agentId, 50, (n) => n % 9 === 4)
  expect((await w.recompute(agentId)).body.score_after).not.toBeNull()
  return agentId
}

const verify = (agentId: string, token?: string) =>
  w.t.call('GET', `/v1/reputation/${agentId}/verify`, { token })
/** Has the whole chain walked, and returns the answer to the request. */
async function audit(agentId: string, token = w.key) {
  const url = `/v1/reputation/${agentId}/verify`
  const answer = await w.t.call('POST', url, { token, body: { full: true } })
  await w.t.settle()
  return answer
}
const bundle = (agentId: string, token?: string) =>
  w.t.call('GET', `/v1/reputation/${agentId}/bundle`, { token })
const change = (statement: RawBuilder<unknown>) => tamper(w.t.app.kernel.db, statement)

describe('GET verify', () => {
  it('returns the published score and confirms that its evidence is unchanged', async () => {
    const { body: score } = await w.score(shown)
    const { body: tree } = await w.get(`/v1/agents/${shown}/merkle-root`)
    const last = (await w.chainOf(shown)).at(-1)
    const { body: certificate } = await w.get(`/v1/checkpoints/${last?.checkpoint_id}/certificate`)
    const answer = await verify(shown)
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
    })
    expect(answer.body).toEqual({
      agent_id: shown,
      score: score.score,
      grade: score.grade,
      verified: true,
      verification: {
        certificate_hash: `sha256:${certificateHash(certificate)}`,
        merkle_root: `sha256:${tree.merkle_root}`,
        hash_chain_valid: true,
        checkpoint_count: tree.leaf_count,
        latest_checkpoint_id: last?.checkpoint_id,
        latest_checkpoint_at: certificate.timestamp,
        proof_generated_at: w.t.clock.now().toISOString(),
        audited_through: null,
        audited_at: null,
      },
      checked: {
        since_audit: 50,
        unchecked: 0,
        sampled: 0,
        seed: expect.stringMatching(/^[0-9a-f]{16}$/),
        audited_at: null,
      },
      full_audit: null,
      computed_at: score.computed_at,
      assurance: score.assurance,
      assured_score: score.assured_score,
      methodology: '2',
    })
  })

  it('is refreshed after ten seconds, and immediately when evidence is added', async () => {
    const madeAt = async () => (await verify(shown)).body.verification.proof_generated_at
    const first = await madeAt()
    w.t.clock.advance(SHARED_MS - 1)
    expect(await madeAt()).toBe(first)
    w.t.clock.advance(1)
    const second = await madeAt()
    expect(second).toBe(w.t.clock.now().toISOString())
    w.t.clock.advance(1000)
    await w.sendCheckpoints(shown, 1)
    expect(await madeAt()).toBe(w.t.clock.now().toISOString())
  })

  it('still returns the published score while more evidence is stored', async () => {
    const { body: before } = await verify(shown)
    await w.sendCheckpoints(shown, 3)
    const { body: after } = await verify(shown)
    expect(after).toMatchObject({ score: before.score, computed_at: before.computed_at })
    expect(after.verified).toBe(true)
    expect(after.verification.checkpoint_count).toBe(before.verification.checkpoint_count + 3)
  })

  it('says how much it recomputed: what is new since the audit, and a sample of the rest', async () => {
    const agentId = await rated()
    await audit(agentId)
    const auditedAt = w.t.clock.now().toISOString()
    w.t.clock.advance(1000)
    await w.sendCheckpoints(agentId, 3)
    const { checked } = (await verify(agentId)).body
    expect(checked).toMatchObject({
      since_audit: 3,
      unchecked: 0,
      sampled: 50,
      audited_at: auditedAt,
    })
    w.t.clock.advance(SHARED_MS)
    expect((await verify(agentId)).body.checked.seed).not.toBe(checked.seed)
  })
})

describe('POST verify', () => {
  it('walks the whole chain in the background; GET shows the result', async () => {
    const agentId = await rated()
    const url = `/v1/reputation/${agentId}/verify`
    const ask = () => w.t.call('POST', url, { token: w.key, body: { full: true } })
    const at = w.t.clock.now().toISOString()
    const running = { state: 'running', requested_at: at, finished_at: null }
    expect(await ask()).toMatchObject({ status: 202, body: running })
    w.t.clock.advance(1000)
    expect(await ask()).toMatchObject({ status: 202, body: running })
    expect((await verify(agentId)).body.full_audit).toEqual(running)
    await w.t.settle()
    w.t.clock.advance(SHARED_MS)
    const finishedAt = new Date(w.t.clock.nowMs() - SHARED_MS).toISOString()
    expect((await verify(agentId)).body).toMatchObject({
      verified: true,
      verification: { audited_through: 49, audited_at: finishedAt },
      checked: { since_audit: 0, sampled: 50, audited_at: finishedAt },
      full_audit: { state: 'finished', requested_at: at, finished_at: finishedAt },
    })
  })

  it('needs a credential of the organisation that owns the agent, and full', async () => {
    const url = `/v1/reputation/${shown}/verify`
    const statusOf = async (call: object) => (await w.t.call('POST', url, call)).status
    expect(await statusOf({ body: { full: true } })).toBe(401)
    expect(await statusOf({ token: w.foreign, body: { full: true } })).toBe(404)
    expect(await statusOf({ token: w.key, body: {} })).toBe(400)
    expect(await statusOf({ token: w.key, body: { full: false } })).toBe(400)
  })
})

describe('GET verify after tampering', () => {
  it('detects an altered checkpoint at once, and keeps reporting it', async () => {
    const agentId = await rated()
    await audit(agentId)
    expect((await verify(agentId)).body.verified).toBe(true)
    await change(
      sql`update checkpoint set verdict = 'clear' where agent_id = ${agentId} and position = 4`,
    )
    w.t.clock.advance(SHARED_MS)
    const { status, body } = await verify(agentId)
    expect({ status, verified: body.verified }).toEqual({ status: 200, verified: false })
    expect(body.verification.hash_chain_valid).toBe(false)
    w.t.clock.advance(SHARED_MS)
    expect((await verify(agentId)).body).toMatchObject({ verified: false })
  })

  it('detects an altered tree node, and a root that differs from the published one', async () => {
    for (const statement of [
      (id: string) => sql`update merkle_node set hash = ${Buffer.alloc(32)} where agent_id = ${id}
        and level = 5`,
      (id: string) => sql`update score set root = ${Buffer.alloc(32)} where agent_id = ${id}`,
    ]) {
      const agentId = await rated()
      await audit(agentId)
      await change(statement(agentId))
      w.t.clock.advance(SHARED_MS)
      const { body } = await verify(agentId)
      expect(body).toMatchObject({ verified: false })
    }
  })

  it('detects a last checkpoint with impossible content', async () => {
    const agentId = await rated()
    await audit(agentId)
    await change(
      sql`update checkpoint set concerns = '1' where agent_id = ${agentId} and position = 49`,
    )
    w.t.clock.advance(SHARED_MS)
    expect(await verify(agentId)).toMatchObject({ status: 200, body: { verified: false } })
  })

  it('detects that the last certificate is missing', async () => {
    const agentId = await rated()
    await audit(agentId)
    await change(sql`delete from certificate where agent_id = ${agentId} and position = 49`)
    w.t.clock.advance(SHARED_MS)
    const { body } = await verify(agentId)
    expect(body).toMatchObject({ verified: false, verification: { certificate_hash: null } })
  })
})

describe.each([
  ['verify', verify],
  ['bundle', bundle],
] as const)('visibility of %s', (name, call) => {
  const caching = (isPrivate: boolean) => {
    if (name === 'verify') return 'no-store'
    return isPrivate ? 'private, no-store' : 'public, max-age=60'
  }

  it('answers 422 for an agent that is not rated yet', async () => {
    const agentId = await w.newAgent()
    await w.sendCheckpoints(agentId, 49)
    await w.recompute(agentId)
    expect(await call(agentId)).toMatchObject({ status: 422, body: { error: 'ineligible_agent' } })
  })

  it('shows an unlisted agent to everybody', async () => {
    const agentId = await rated({ visibility: 'unlisted' })
    expect(await call(agentId)).toMatchObject({
      status: 200,
      headers: { 'cache-control': caching(false) },
    })
  })

  it('answers others alike for a private and an unknown agent', async () => {
    const agentId = await rated({ visibility: 'private' })
    const { body } = await call('agent-nobody-knows')
    expect(body.error).toBe('agent_not_found')
    for (const token of [undefined, w.foreign]) {
      expect(await call(agentId, token)).toMatchObject({ status: 404, body })
    }
    expect(await call(agentId, w.key)).toMatchObject({
      status: 200,
      headers: { 'cache-control': caching(true) },
    })
  })

  it('answers 404 for an archived agent, even to its owner', async () => {
    const agentId = await rated()
    const owner = await w.t.ownerToken()
    const gone = await w.t.call('DELETE', `/v1/agents/${agentId}`, { token: owner })
    expect(gone.status).toBe(204)
    expect(await call(agentId, w.key)).toMatchObject({ status: 404 })
  })
})
