import { createHash } from 'node:crypto'
import { commitmentsOf, verifyReceipt } from '@touchstone/prover'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'
import { type RiskWorld, riskWorld } from '#harness/risk.ts'

let w: RiskWorld
let agentId: string

const CONTEXT = { action_type: 'data_access' }

beforeAll(async () => {
  w = await riskWorld()
  agentId = await w.agent({
    agent_id: 'proven',
    n: 347,
    components: [920, 720, 700, 650, 390],
    reputation: 756,
    violations: [
      { severity: 'high', days: 10 },
      { severity: 'medium', days: 40 },
    ],
  })
})

/** Generates proofs on a real worker thread. */
async function proveAll(): Promise<void> {
  while ((await w.t.app.proveDue()) > 0);
}

const assess = async (body: object = {}) => (await w.assess(agentId, CONTEXT, { body })).body
const post = (url: string, token = w.key) => w.t.call('POST', url, { token })
const getAs = (url: string, token: string) => w.t.call('GET', url, { token })
const proofOf = async (id: string) => (await w.get(`/v1/risk/proofs/${id}`)).body
const verify = (receipt: unknown) => w.t.call('POST', '/v1/verify-proof', { body: { receipt } })

/** Sets the state that five failed attempts leave. */
async function markFailed(proofId: string): Promise<void> {
  await sql`update risk_proof set status = 'failed', due_at = null, attempts = 5, error = 'x'
    where proof_id = ${proofId}`.execute(w.t.app.kernel.db)
}

describe('the proof of an assessment', () => {
  it('is pending in the response, and verified once the worker generated it', async () => {
    const assessed = await assess()
    expect(assessed).toMatchObject({ proof_status: 'pending' })
    const url = `/v1/risk/proofs/${assessed.proof_id}`
    expect((await w.get(url)).body).toEqual({
      proof_id: assessed.proof_id,
      status: 'pending',
      receipt: null,
      attempts: 0,
      assessment_id: assessed.assessment_id,
      assessment_kind: 'individual',
      error: null,
      created_at: assessed.created_at,
      started_at: null,
      verified_at: null,
    })
    expect((await w.get(`${url}/data`)).status).toBe(404)
    await proveAll()
    const now = w.t.clock.now().toISOString()
    const { body: proof } = await w.get(url)
    expect(proof).toMatchObject({
      status: 'verified',
      attempts: 1,
      error: null,
      started_at: now,
      verified_at: now,
      receipt: {
        proof_type: 'stark',
        system: 'touchstone-stark',
        system_version: '1.0',
        security_bits: 100,
        audited: false,
        formula: 'risk-v1',
        proof_url: null,
        program_id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      },
    })
    const { receipt } = proof
    const { keys } = (await w.get('/v1/keys')).body
    const covered = { valid: true, checks: { fields_signed: true } }
    expect(verifyReceipt(receipt, keys)).toMatchObject(covered)
    expect((await verify(receipt)).body).toMatchObject(covered)
    expect((await verify({ ...receipt, proving_ms: 1 })).body).toMatchObject({
      valid: false,
      checks: { proof_valid: true, fields_signed: false },
    })
    const bytes = Buffer.from(receipt.proof, 'base64')
    expect(bytes).toHaveLength(receipt.proof_bytes)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(receipt.proof_sha256)

    const stored = await w.get(`/v1/risk/assessments/${assessed.assessment_id}`)
    expect(stored.body).toEqual({ ...assessed, proof_status: 'verified' })
    const history = await w.get(`/v1/risk/history/${agentId}`)
    expect(history.body.assessments).toContainEqual(stored.body)

    const { inputs } = (await w.get(`/v1/risk/assessments/${assessed.assessment_id}/inputs`)).body
    expect(JSON.parse(Buffer.from(receipt.journal, 'base64').toString())).toEqual({
      v: 1,
      kind: 'individual',
      formula: 'risk-v1',
      as_of: assessed.created_at,
      assessment_id: assessed.assessment_id,
      score_e4: assessed.risk_score * 10_000,
      level: assessed.risk_level,
      recommendation: assessed.recommendation,
      circuit_breakers: [],
      ...commitmentsOf(inputs),
    })
  })

  it('can be downloaded as bytes', async () => {
    const { proof_id: id } = await assess()
    await proveAll()
    const call = { method: 'GET', url: `/v1/risk/proofs/${id}/data` } as const
    const headers = { authorization: `Bearer ${w.key}` }
    const answer = await w.t.app.server.inject({ ...call, headers })
    expect(answer.headers['content-type']).toBe('application/octet-stream')
    const { receipt } = await proofOf(id)
    expect(answer.rawPayload.equals(Buffer.from(receipt.proof, 'base64'))).toBe(true)
  })

  it('exists only if requested', async () => {
    const none = { proof_id: null, proof_status: 'none' }
    const plain = await assess({ prove: false })
    expect(plain).toMatchObject(none)
    expect((await w.get(`/v1/risk/assessments/${plain.assessment_id}`)).body).toEqual(plain)
  })

  it('can be requested later, once', async () => {
    const { assessment_id: id } = await assess({ prove: false })
    const asked = await post(`/v1/risk/assessments/${id}/prove`)
    expect(asked).toMatchObject({ status: 202, body: { status: 'pending', assessment_id: id } })
    const again = await post(`/v1/risk/assessments/${id}/prove`)
    expect(again).toMatchObject({ status: 200, body: asked.body })
    await proveAll()
    const done = await post(`/v1/risk/assessments/${id}/prove`)
    expect(done).toMatchObject({ status: 200, body: { status: 'verified' } })
    expect(verifyReceipt(done.body.receipt).valid).toBe(true)
  })

  it('is not available for a team, which has no prover', async () => {
    const other = await w.newAgent({ agent_id: 'other-member' })
    const team = await w.assessTeam({ agent_ids: [agentId, other], context: CONTEXT })
    expect(team.body).toMatchObject({ proof_id: null, proof_status: 'none' })
    const refused = await post(`/v1/risk/assessments/${team.body.assessment_id}/prove`)
    expect(refused).toMatchObject({ status: 422, body: { error: 'validation_error' } })
  })

  it('can be retried only if it failed', async () => {
    const { proof_id: id } = await assess()
    const url = `/v1/risk/proofs/${id}/retry`
    expect(await post(url)).toMatchObject({ status: 422, body: { error: 'validation_error' } })
    await markFailed(id)
    expect(await post(url)).toMatchObject({
      status: 202,
      body: { status: 'pending', attempts: 0, error: null },
    })
    await proveAll()
    expect(await proofOf(id)).toMatchObject({ status: 'verified', attempts: 1 })
    expect((await post(url)).status).toBe(422)
  })

  it('of tampered inputs fails immediately', async () => {
    const { assessment_id: id, proof_id: proofId } = await assess()
    const { db } = w.t.app.kernel
    await sql`alter table risk_assessment disable trigger risk_assessment_is_final`.execute(db)
    await sql`update risk_assessment set result =
      jsonb_set(result::jsonb, '{scoreE4}', '1')::json where assessment_id = ${id}`.execute(db)
    await sql`alter table risk_assessment enable trigger risk_assessment_is_final`.execute(db)
    await proveAll()
    expect(await proofOf(proofId)).toMatchObject({
      status: 'failed',
      attempts: 1,
      receipt: null,
      error: 'The journal differs from the assessment.',
    })
  })
})

describe('access to proofs', () => {
  it('is limited to the organisation that requested them', async () => {
    const { assessment_id: id, proof_id: proofId } = await assess()
    for (const answer of [
      await getAs(`/v1/risk/proofs/${proofId}`, w.foreign),
      await getAs(`/v1/risk/proofs/${proofId}/data`, w.foreign),
      await post(`/v1/risk/proofs/${proofId}/retry`, w.foreign),
      await post(`/v1/risk/assessments/${id}/prove`, w.foreign),
      await w.get('/v1/risk/proofs/prf-none'),
      await w.get('/v1/risk/proofs/prf-none/data'),
      await post('/v1/risk/proofs/prf-none/retry'),
      await post('/v1/risk/assessments/ra-none/prove'),
      await post('/v1/risk/assessments/tra-none/prove'),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } })
    }
  })

  it('depends on the role: all read, members request, administrators retry', async () => {
    const orgId = w.t.first.org_id
    const { assessment_id: id, proof_id: proofId } = await assess()
    await markFailed(proofId)
    const statuses = async (role: string) => {
      const { token } = await w.t.newUser(`${role}@proofs.example`, { orgId, role })
      return [
        (await getAs(`/v1/risk/proofs/${proofId}`, token)).status,
        (await post(`/v1/risk/assessments/${id}/prove`, token)).status,
        (await post(`/v1/risk/proofs/${proofId}/retry`, token)).status,
      ]
    }
    expect(await statuses('auditor')).toEqual([200, 403, 403])
    expect(await statuses('member')).toEqual([200, 200, 403])
    expect(await statuses('admin')).toEqual([200, 200, 202])
  })

  it('requires a plan that includes proofs', async () => {
    const { assessment_id: id, proof_id: proofId } = await assess()
    await w.setPlan('plan-free', { included: { risk_assessment: null } })
    expect(await assess()).toMatchObject({ proof_id: null, proof_status: 'none' })
    expect((await w.get(`/v1/risk/proofs/${proofId}`)).status).toBe(403)
    expect((await w.get(`/v1/risk/proofs/${proofId}/data`)).status).toBe(403)
    expect((await post(`/v1/risk/proofs/${proofId}/retry`)).status).toBe(403)
    expect((await post(`/v1/risk/assessments/${id}/prove`)).status).toBe(403)
    const shown = await w.get(`/v1/risk/assessments/${id}`)
    expect(shown.body).toMatchObject({ proof_id: proofId, proof_status: 'pending' })
    await w.setPlan('plan-enterprise')
  })

  it('ends when the agent is erased', async () => {
    const gone = await w.newAgent({ agent_id: 'gone-with-proofs' })
    const { body } = await w.assess(gone, CONTEXT)
    const about = await w.assess(agentId, { ...CONTEXT, counterparty_id: gone })
    await proveAll()
    const token = await w.t.ownerToken()
    const erase = { token, body: { confirm: gone } }
    expect((await w.t.call('POST', `/v1/agents/${gone}/erase`, erase)).status).toBe(202)
    w.t.clock.advance(31 * 86_400_000)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    const left = await sql<{ n: number }>`select
      (select count(*) from risk_proof where proof_id = any(${[body.proof_id, about.body.proof_id]}))
      + (select count(*) from risk_receipt where agent_id = ${gone} or counterparty_id = ${gone})
      as n`.execute(w.t.app.kernel.db)
    expect(left.rows).toEqual([{ n: 0 }])
  })
})

describe('anybody', () => {
  it('can list the programs that proofs are generated with', async () => {
    const { status, body } = await w.t.call('GET', '/v1/proof-programs')
    expect(status).toBe(200)
    const program = { formula: 'risk-v1', system: 'touchstone-stark', system_version: '1.0' }
    const program_id = expect.stringMatching(/^sha256:[0-9a-f]{64}$/)
    expect(body).toEqual({ programs: [{ ...program, program_id, active: true }] })
  })

  it('can verify a receipt, and an altered one fails', async () => {
    const [first, second] = [await assess(), await assess()]
    await proveAll()
    const { receipt } = await proofOf(first.proof_id)
    const other = (await proofOf(second.proof_id)).receipt
    const journal = JSON.parse(Buffer.from(receipt.journal, 'base64').toString())
    expect(await verify(receipt)).toMatchObject({
      status: 200,
      body: {
        valid: true,
        journal,
        checks: { program_known: true, proof_valid: true, journal_well_formed: true },
      },
    })
    const refused = async (changes: object) => {
      const { status, body } = await verify({ ...receipt, ...changes })
      expect(status).toBe(200)
      expect(body.valid).toBe(false)
      return body.checks
    }
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64')
    const mutate = (at: number) => {
      const bytes = Buffer.from(receipt.proof, 'base64')
      bytes[at] = (bytes[at] ?? 0) ^ 1
      const proof_sha256 = createHash('sha256').update(bytes).digest('hex')
      return { proof: bytes.toString('base64'), proof_sha256 }
    }
    const invalid = { program_known: true, proof_valid: false, journal_well_formed: true }
    expect(await refused({ journal: other.journal })).toMatchObject(invalid)
    const swapped = { proof: other.proof, proof_sha256: other.proof_sha256 }
    expect(await refused(swapped)).toMatchObject(invalid)
    for (const at of [0, 1000, Math.floor(receipt.proof_bytes / 2), receipt.proof_bytes - 1]) {
      expect(await refused(mutate(at))).toMatchObject(invalid)
    }
    expect(await refused({ journal: encode({ ...journal, score_e4: 1 }) })).toMatchObject(invalid)
    expect(await refused({ proof_sha256: '0'.repeat(64) })).toMatchObject(invalid)
    expect(await refused({ proof: '' })).toMatchObject(invalid)
    expect(await refused({ proof: `${receipt.proof}!` })).toMatchObject(invalid)
    expect(await refused({ journal: encode({ x: 1 }) })).toMatchObject({
      ...invalid,
      journal_well_formed: false,
    })
    expect(await refused({ program_id: `sha256:${'0'.repeat(64)}` })).toMatchObject({
      program_known: false,
    })
  })

  it('gets an error for a malformed receipt', async () => {
    for (const receipt of [undefined, null, 'x', 7, [], {}, { proof: 'x' }, { proof: null }]) {
      expect(await verify(receipt)).toMatchObject({
        status: 422,
        body: { error: 'validation_error' },
      })
    }
    const body = 'no json'
    const headers = { 'content-type': 'application/json' }
    const garbage = await w.t.call('POST', '/v1/verify-proof', { body, headers })
    expect(garbage.status).toBe(422)
  })

  it('may send up to 8 MB, and gets 413 beyond', async () => {
    const shape = { program_id: 'x', formula: 'risk-v1', journal: '', proof_sha256: '' }
    const large = await verify({ ...shape, proof: 'A'.repeat(7 * 1024 * 1024) })
    expect(large).toMatchObject({ status: 200, body: { valid: false, journal: null } })
    const larger = await verify({ ...shape, proof: 'A'.repeat(8 * 1024 * 1024) })
    expect(larger.status).toBe(413)
  })

  it('gets 413 if verifying takes more memory than a thread has, and fails no other', async () => {
    const small = await testApp({ verifierMemoryMbMax: 16 })
    const send = (receipt: unknown) => small.call('POST', '/v1/verify-proof', { body: { receipt } })
    const shape = { program_id: 'x', formula: 'risk-v1', journal: '', proof_sha256: '' }
    const greedy = await send({ ...shape, proof: 'A'.repeat(7 * 1024 * 1024) })
    expect(greedy).toMatchObject({ status: 413, body: { error: 'payload_too_large' } })
    expect(await send({ ...shape, proof: '' })).toMatchObject({ status: 200 })
    expect((await small.call('GET', '/health/ready')).status).toBe(200)
  })
})
