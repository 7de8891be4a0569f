import { committedRiskInputs, individualRisk, inputsCommitment } from '@touchstone/protocol/risk'
import { commitmentsOf, encodeJournal, journalOf } from '@touchstone/prover'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId, toOrgId } from '../../../kernel/ids.ts'
import type { Prover } from './ports.ts'
import type { Provable } from './proof.ts'
import { createProofWorker, type ProofWorker } from './proving-service.ts'
import { createProofService, type ProofService } from './service.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const clock = testClock('2026-03-01T12:00:00.000Z')

let db: Db
let service: ProofService
let worker: ProofWorker
let newWorker: (atOnceMax: number) => ProofWorker
let prove: Prover['prove']
let verify: Prover['verify']
let outcomes: string[]
let stored: Map<string, Provable>
/** Organisations of assessments, if not org-1. */
let orgs: Map<string, string>
let counter = 0

beforeAll(async () => {
  db = (await testDatabase()).db
})

beforeEach(async () => {
  for (const orgId of ['org-1', 'org-2'])
    await transact(db, (tx) => service?.eraseOrg(tx, toOrgId(orgId)))
  stored = new Map()
  orgs = new Map()
  outcomes = []
  prove = async (inputs) => {
    const journal = encodeJournal(journalOf(inputs as Parameters<typeof journalOf>[0]))
    return { proof: Buffer.from('a proof'), journal, ms: 12.6 }
  }
  verify = async () => true
  const assessments = {
    find: async (id: string) => stored.get(id),
    orgOf: async (id: string) => (stored.has(id) ? 'org-1' : undefined),
    lock: async (_tx: Db, id: string) =>
      stored.has(id)
        ? { orgId: orgs.get(id) ?? 'org-1', agentId: 'a', counterpartyId: null }
        : undefined,
  }
  const prover: Prover = {
    proofType: 'stark',
    system: 'test',
    systemVersion: '1',
    securityBits: 1,
    audited: false,
    formula: 'risk-v1',
    programId: async () => 'sha256:0',
    prove: (inputs) => prove(inputs),
    verify: (journal, proof) => verify(journal, proof),
  }
  const shared = { db, clock, prover, assessments: () => assessments }
  service = createProofService({
    ...shared,
    verifier: () => Promise.reject(new Error('unused')),
    attestation: {
      signer: async () => ({ keyId: 'key-1', sign: (text) => `signed ${text.length}` }),
      publishedKeys: async () => [],
    },
  })
  newWorker = (atOnceMax) =>
    createProofWorker({
      ...shared,
      atOnceMax,
      commit: async (inputs) =>
        commitmentsOf(inputs as Parameters<typeof commitmentsOf>[0]).witness_commitment,
      onError: () => undefined,
      onOutcome: (outcome) => void outcomes.push(outcome),
    })
  worker = newWorker(1)
})

function newProvable(): Provable {
  counter += 1
  const assessmentId = `ra-${counter}`
  const input = {
    actionType: 'data_access' as const,
    riskTolerance: 'moderate' as const,
    violations: [],
    analysedCheckpoints: 0,
    reputation: null,
    contained: false,
    amountMinor: null,
    maxAutonomousMinor: null,
    counterparty: null,
    components: {
      integrity_ratio: 500,
      compliance: 500,
      drift_stability: 500,
      trace_completeness: 500,
      coherence_compatibility: 500,
    },
  }
  const createdAt = clock.now()
  const inputs = committedRiskInputs(input, {
    assessmentId,
    agentId: 'a',
    asOf: createdAt.toISOString(),
    merkleRoot: null,
    salt: '0'.repeat(64),
  })
  const commitment = inputsCommitment(inputs)
  const one = { assessmentId, createdAt, inputs, result: individualRisk(input) }
  stored.set(assessmentId, { ...one, inputsCommitment: commitment })
  return { ...one, inputsCommitment: commitment }
}

async function requestProof(): Promise<string> {
  const { proof } = await service.prove(newProvable().assessmentId)
  return proof.proofId
}

const find = (proofId: string) => service.find(proofId)
const fault = () => Promise.reject(new Error('no'))

describe('proof', () => {
  it('is pending, then verified with the receipt of its prover', async () => {
    const proofId = await requestProof()
    expect(await find(proofId)).toMatchObject({ status: 'pending', attempts: 0, receipt: null })
    clock.advance(SECOND_MS)
    expect(await worker.runDue()).toBe(1)
    expect(await find(proofId)).toMatchObject({
      status: 'verified',
      attempts: 1,
      error: null,
      startedAt: clock.now(),
      verifiedAt: clock.now(),
      receipt: {
        system: 'test',
        programId: 'sha256:0',
        proof: Buffer.from('a proof'),
        provingMs: 13,
      },
    })
    expect(outcomes).toEqual(['verified'])
    expect(await worker.runDue()).toBe(0)
  })

  it('does not wait for a slow proof that runs concurrently', async () => {
    const proofIds = [await requestProof(), await requestProof(), await requestProof()]
    const states = async () =>
      (await Promise.all(proofIds.map(find))).map((proof) => proof?.status).sort()
    const usual = prove
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    prove = async (inputs) => {
      prove = usual
      await released
      return usual(inputs)
    }
    const two = newWorker(2)
    two.start()
    await vi.waitFor(async () =>
      expect(await states()).toEqual(['proving', 'verified', 'verified']),
    )
    release()
    await two.stop()
    expect(await states()).toEqual(['verified', 'verified', 'verified'])
  })

  it('takes turns between organisations, however many one of them has queued', async () => {
    const long = [await requestProof(), await requestProof(), await requestProof()]
    clock.advance(SECOND_MS)
    const { assessmentId } = newProvable()
    orgs.set(assessmentId, 'org-2')
    const { proof: short } = await service.prove(assessmentId)
    clock.advance(SECOND_MS)
    await worker.runDue()
    await worker.runDue()
    const states = (await Promise.all(long.map(find))).map((proof) => proof?.status)
    expect(states.sort()).toEqual(['pending', 'pending', 'verified'])
    expect(await find(short.proofId)).toMatchObject({ status: 'verified' })
  })

  it('has the status proving during an attempt, and is claimed by one worker only', async () => {
    const proofId = await requestProof()
    const usual = prove
    prove = async (inputs) => {
      expect(await find(proofId)).toMatchObject({ status: 'proving', attempts: 1 })
      expect(await worker.runDue()).toBe(0)
      return usual(inputs)
    }
    await worker.runDue()
    expect(await find(proofId)).toMatchObject({ status: 'verified' })
  })

  it('is attempted five times with back-off, then failed until a retry is requested', async () => {
    const proofId = await requestProof()
    const usual = prove
    prove = fault
    for (const [n, waitS] of [30, 60, 120, 240].entries()) {
      expect(await worker.runDue()).toBe(1)
      expect(await find(proofId)).toMatchObject({
        status: 'pending',
        attempts: n + 1,
        error: 'The prover failed.',
      })
      clock.advance(waitS * SECOND_MS - 1)
      expect(await worker.runDue()).toBe(0)
      await expect(service.retry(proofId)).rejects.toMatchObject({ code: 'validation_error' })
      clock.advance(1)
    }
    await worker.runDue()
    expect(await find(proofId)).toMatchObject({ status: 'failed', attempts: 5 })
    clock.advance(60 * MINUTE_MS)
    expect(await worker.runDue()).toBe(0)
    expect(outcomes).toEqual(['retried', 'retried', 'retried', 'retried', 'failed'])
    expect(await service.retry(proofId)).toMatchObject({
      status: 'pending',
      attempts: 0,
      error: null,
      startedAt: null,
    })
    prove = usual
    await worker.runDue()
    expect(await find(proofId)).toMatchObject({ status: 'verified', attempts: 1 })
    await expect(service.retry(proofId)).rejects.toMatchObject({ code: 'validation_error' })
  })

  it('gets no receipt and counts a failed attempt when the verifier rejects it', async () => {
    const proofId = await requestProof()
    verify = async () => false
    await worker.runDue()
    expect(await find(proofId)).toMatchObject({
      status: 'pending',
      error: 'The verifier rejected the proof.',
      receipt: null,
    })
  })

  it('fails without a retry when its journal differs from the assessment', async () => {
    const one = newProvable()
    stored.set(one.assessmentId, { ...one, result: { ...one.result, scoreE4: 1 } })
    const { proof } = await service.prove(one.assessmentId)
    await worker.runDue()
    expect(await find(proof.proofId)).toMatchObject({
      status: 'failed',
      attempts: 1,
      receipt: null,
      error: 'The journal differs from the assessment.',
    })
  })

  it('is retried after the lease of a lost worker, whose late result is ignored', async () => {
    const proofId = await requestProof()
    let resume: () => void = () => undefined
    const usual = prove
    prove = async (inputs) => {
      await new Promise<void>((resolve) => {
        resume = resolve
      })
      return usual(inputs)
    }
    const lostRun = worker.runDue()
    await expect.poll(async () => (await find(proofId))?.status).toBe('proving')
    prove = usual
    clock.advance(15 * MINUTE_MS - 1)
    await worker.runDue()
    expect(await find(proofId)).toMatchObject({ status: 'proving', attempts: 1 })
    clock.advance(1)
    expect(await worker.runDue()).toBe(0)
    const error = 'The attempt did not finish in time.'
    expect(await find(proofId)).toMatchObject({ status: 'pending', attempts: 1, error })
    clock.advance(30 * SECOND_MS)
    prove = fault
    await worker.runDue()
    expect(await find(proofId)).toMatchObject({ status: 'pending', attempts: 2 })
    resume()
    await lostRun
    expect(await find(proofId)).toMatchObject({ status: 'pending', attempts: 2, receipt: null })
    prove = usual
    clock.advance(MINUTE_MS)
    await worker.runDue()
    expect(await find(proofId)).toMatchObject({ status: 'verified', attempts: 3, error: null })
  })

  it('fails after five lost attempts', async () => {
    const proofId = await requestProof()
    prove = () => new Promise(() => undefined)
    for (let n = 1; n <= 5; n += 1) {
      void worker.runDue()
      await expect.poll(async () => (await find(proofId))?.attempts).toBe(n)
      clock.advance(15 * MINUTE_MS)
      await worker.runDue()
      clock.advance(4 * MINUTE_MS)
    }
    expect(await find(proofId)).toMatchObject({ status: 'failed', attempts: 5 })
  })

  it('exists once per assessment, even after concurrent requests', async () => {
    const { assessmentId } = newProvable()
    const all = await Promise.all(Array.from({ length: 8 }, () => service.prove(assessmentId)))
    expect(new Set(all.map(({ proof }) => proof.proofId)).size).toBe(1)
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(await service.countWaiting()).toBe(1)
  })

  it('is rejected for an assessment without a prover', async () => {
    await expect(service.prove('tra-1')).rejects.toMatchObject({ code: 'validation_error' })
  })

  it('is erased with its agent or organisation, even during an attempt', async () => {
    for (const erase of [
      (tx: Db) => service.erase(tx, toAgentId('a')),
      (tx: Db) => service.eraseOrg(tx, toOrgId('org-1')),
    ]) {
      const done = await requestProof()
      await worker.runDue()
      const making = await requestProof()
      const usual = prove
      prove = async (inputs) => {
        await transact(db, erase)
        return usual(inputs)
      }
      await worker.runDue()
      prove = usual
      for (const proofId of [done, making]) expect(await find(proofId)).toBeUndefined()
      const left = await db
        .withTables<{ risk_receipt: { proof_id: string } }>()
        .selectFrom('risk_receipt')
        .select('proof_id')
        .execute()
      expect(left).toEqual([])
    }
  })
})
