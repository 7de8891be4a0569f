import { certificateHash } from '@touchstone/protocol/evidence'
import { type RawBuilder, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'
import { tamper } from '../../packages/server/src/areas/evidence/attestation/attestation.fixture.ts'

const MINUTE_MS = 60_000

let w: ScoreWorld
let shown: string

beforeAll(async () => {
  w = await scoreWorld()
  shown = await rated()
})

async function rated(changes: object = {}): Promise<string> {
  const agentId = await w.newAgent(changes)
  await w.decide(agentId, 50, (n) => n % 9 === 4)
  expect((await w.recompute(agentId)).body.score_after).not.toBeNull()
  return agentId
}

const verify = (agentId: string, query = '', token?: string) =>
  w.t.call('GET', `/v1/reputation/${agentId}/verify${query}`, { token })
const bundle = (agentId: string, token?: string) =>
  w.t.call('GET', `/v1/reputation/${agentId}/bundle`, { token })
const change = (statement: RawBuilder<unknown>) => tamper(w.t.app.kernel.db, statement)

describe('GET verify', () => {
  it('says what is published and that the evidence is what it was', async () => {
    const { body: score } = await w.score(shown)
    const { body: tree } = await w.get(`/v1/agents/${shown}/merkle-root`)
    const last = (await w.chainOf(shown)).at(-1)
    const { body: certificate } = await w.get(`/v1/checkpoints/${last?.checkpoint_id}/certificate`)
    const answer = await verify(shown)
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'public, max-age=60' },
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
      computed_at: score.computed_at,
    })
  })

  it('is made anew after a minute, and at once when something is added', async () => {
    const madeAt = async () => (await verify(shown)).body.verification.proof_generated_at
    const first = await madeAt()
    w.t.clock.advance(MINUTE_MS - 1)
    expect(await madeAt()).toBe(first)
    w.t.clock.advance(1)
    const second = await madeAt()
    expect(second).toBe(w.t.clock.now().toISOString())
    w.t.clock.advance(1000)
    await w.decide(shown, 1)
    expect(await madeAt()).toBe(w.t.clock.now().toISOString())
  })

  it('keeps saying the published score while more is stored', async () => {
    const { body: before } = await verify(shown)
    await w.decide(shown, 3)
    const { body: after } = await verify(shown)
    expect(after).toMatchObject({ score: before.score, computed_at: before.computed_at })
    expect(after.verified).toBe(true)
    expect(after.verification.checkpoint_count).toBe(before.verification.checkpoint_count + 3)
  })

  it('walks everything when the organisation of the agent asks for it', async () => {
    const answer = await verify(shown, '?depth=full', w.key)
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'private, no-store' } })
    const { length } = await w.chainOf(shown)
    expect(answer.body.verification).toMatchObject({
      hash_chain_valid: true,
      audited_through: length - 1,
      audited_at: w.t.clock.now().toISOString(),
    })
    for (const token of [undefined, w.foreign]) {
      expect(await verify(shown, '?depth=full', token)).toMatchObject({
        status: 403,
        body: { error: 'forbidden' },
      })
    }
  })

  it('knows no other depth', async () => {
    expect(await verify(shown, '?depth=deep')).toMatchObject({ status: 400 })
  })
})

describe('GET verify of what was changed', () => {
  it('finds a changed checkpoint by a walk, and says so ever after', async () => {
    const agentId = await rated()
    expect((await verify(agentId)).body.verified).toBe(true)
    await change(
      sql`update checkpoint set verdict = 'clear' where agent_id = ${agentId} and position = 4`,
    )
    const { status, body } = await verify(agentId, '?depth=full', w.key)
    expect({ status, verified: body.verified }).toEqual({ status: 200, verified: false })
    expect(body.verification.hash_chain_valid).toBe(false)
    w.t.clock.advance(MINUTE_MS)
    expect((await verify(agentId)).body).toMatchObject({ verified: false })
  })

  it('finds a changed node of the tree, and a root that is not the published one', async () => {
    for (const statement of [
      (id: string) => sql`update merkle_node set hash = ${Buffer.alloc(32)} where agent_id = ${id}
        and level = 5`,
      (id: string) => sql`update score set root = ${Buffer.alloc(32)} where agent_id = ${id}`,
    ]) {
      const agentId = await rated()
      await verify(agentId, '?depth=full', w.key)
      await change(statement(agentId))
      w.t.clock.advance(MINUTE_MS)
      const { body } = await verify(agentId)
      expect(body).toMatchObject({ verified: false, verification: { hash_chain_valid: true } })
    }
  })

  it('finds a last checkpoint that holds what no record can say', async () => {
    const agentId = await rated()
    await verify(agentId, '?depth=full', w.key)
    await change(
      sql`update checkpoint set concerns = '1' where agent_id = ${agentId} and position = 49`,
    )
    w.t.clock.advance(MINUTE_MS)
    expect(await verify(agentId)).toMatchObject({ status: 200, body: { verified: false } })
  })

  it('finds that the last certificate is gone', async () => {
    const agentId = await rated()
    await verify(agentId, '?depth=full', w.key)
    await change(sql`delete from certificate where agent_id = ${agentId} and position = 49`)
    w.t.clock.advance(MINUTE_MS)
    const { body } = await verify(agentId)
    expect(body).toMatchObject({ verified: false, verification: { certificate_hash: null } })
  })
})

describe.each([
  ['verify', verify],
  ['bundle', (agentId: string, _query = '', token?: string) => bundle(agentId, token)],
])('visibility of %s', (_, call) => {
  it('refuses an agent that is not rated yet', async () => {
    const agentId = await w.newAgent()
    await w.decide(agentId, 49)
    await w.recompute(agentId)
    expect(await call(agentId)).toMatchObject({ status: 422, body: { error: 'ineligible_agent' } })
  })

  it('shows an unlisted agent to everybody', async () => {
    const agentId = await rated({ visibility: 'unlisted' })
    expect(await call(agentId)).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'public, max-age=60' },
    })
  })

  it('answers others for a private agent exactly as for none', async () => {
    const agentId = await rated({ visibility: 'private' })
    const { body } = await call('agent-nobody-knows')
    expect(body.error).toBe('agent_not_found')
    for (const token of [undefined, w.foreign]) {
      expect(await call(agentId, '', token)).toMatchObject({ status: 404, body })
    }
    expect(await call(agentId, '', w.key)).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'private, no-store' },
    })
  })

  it('forgets an archived agent, for its owner too', async () => {
    const agentId = await rated()
    const owner = await w.t.ownerToken()
    const gone = await w.t.call('DELETE', `/v1/agents/${agentId}`, { token: owner })
    expect(gone.status).toBe(204)
    expect(await call(agentId, '', w.key)).toMatchObject({ status: 404 })
  })
})
