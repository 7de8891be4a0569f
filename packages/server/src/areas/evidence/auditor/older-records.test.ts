import { type Checkpoint, certificateHash, recordOf } from '@touchstone/protocol/evidence'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { transact } from '../../../kernel/db.ts'
import { createAppendStore } from '../ledger/append-store.ts'
import { createCheckpointStore } from '../ledger/store.ts'
import { type AuditWorld, auditWorld } from './auditor.fixture.ts'

/** An agent whose first checkpoints were stored before records had an origin. */
const AGENT = 'agent-before'
const OLDER = 60

let w: AuditWorld

beforeAll(async () => {
  w = await auditWorld()
  await w.newAgent('agent-model', OLDER)
  await w.newAgent(AGENT, 0)
  await storeOlder()
  await w.ingest(AGENT, 1000, 3)
})

/** The checkpoints of the other agent, as the service stored them before version 1.1.0. */
async function storeOlder(): Promise<void> {
  const { attestation } = w.evidence
  const models = await createCheckpointStore(w.db).listFrom('agent-model', undefined, OLDER)
  const checkpoints = models.map(({ checkpoint, seal }): Checkpoint => {
    const suffix = seal.position.toString(16).padStart(12, '0')
    const checkpointId = `ic-00000000-0000-4000-8000-${suffix}`
    return { ...checkpoint, agentId: AGENT, checkpointId, recordVersion: '1.0.0' }
  })
  const signer = await attestation.service.signer()
  await transact(w.db, async (tx) => {
    const store = createAppendStore(tx)
    const model = (await store.lockHeads(['agent-model'])).get('agent-model')
    const head = (await store.lockHeads([AGENT])).get(AGENT)
    if (head === undefined || model === undefined) throw new Error('the agents have no chains')
    const entries = checkpoints.map((one) => ({
      record: recordOf(one),
      analysed: one.syntheticReason === null,
    }))
    const batches = [{ state: head, entries }]
    const [made] = await attestation.service.seal(tx, signer, batches, w.clock.now())
    if (made === undefined) throw new Error('nothing was sealed')
    const sealed = made.sealed.flatMap((seal, at) => {
      const checkpoint = checkpoints[at]
      return checkpoint === undefined ? [] : [{ checkpoint, seal, sentBy: 'user' }]
    })
    const heads = [{ ...model, ...made.state }]
    await store.save({ checkpoints: sealed, sessions: [], days: [], slots: [], heads })
  })
}

const certificateAt = async (position: number) => {
  const [row] = (
    await sql<{ checkpoint_id: string; provenance: string; decision_ids: unknown }>`
      select checkpoint_id, provenance, decision_ids from checkpoint
      where agent_id = ${AGENT} and position = ${position}`.execute(w.db)
  ).rows
  const id = row?.checkpoint_id ?? ''
  const { body } = await w.t.call('GET', `/v1/checkpoints/${id}/certificate`)
  return { row, certificate: body }
}

it('rebuilds certificates of version 1.0.0 byte for byte and continues the chain in 1.1.0', async () => {
  const { rows: hashes } = await sql<{ hash: string }>`
    select encode(certificate_hash, 'hex') as hash from certificate
    where agent_id = ${AGENT} order by position`.execute(w.db)
  expect(hashes).toHaveLength(OLDER + 3)
  for (const [position, { hash }] of hashes.entries()) {
    const { row, certificate } = await certificateAt(position)
    const isOlder = position < OLDER
    expect(certificate.version).toBe(isOlder ? '1.0.0' : '1.1.0')
    expect(row).toMatchObject({ provenance: 'reported', decision_ids: isOlder ? null : [] })
    expect('provenance' in certificate.subject).toBe(!isOlder)
    expect(certificateHash(certificate)).toBe(hash)
    const answer = await w.t.call('POST', '/v1/verify', { body: { certificate } })
    expect(answer.body.valid).toBe(true)
  }
})

it('shows older checkpoints as reported, without decisions', async () => {
  const { row } = await certificateAt(5)
  const { body } = await w.t.call('GET', `/v1/checkpoints/${row?.checkpoint_id}`, {
    token: w.t.first.api_key,
  })
  expect(body).toMatchObject({ provenance: 'reported', decision_ids: [] })
  expect(body.received_at).toBe(body.created_at)
})

it('passes the audit over both versions', async () => {
  expect(await w.walkNow(AGENT)).toMatchObject({ valid: true, fault: null })
  expect(w.faults).toEqual([])
})
