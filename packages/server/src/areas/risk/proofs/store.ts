import { sql } from 'kysely'
import { asPurger, type Db } from '../../../kernel/db.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import type { AfterFailure, Proof, ProofStatus, Receipt } from './proof.ts'

type SubjectColumns = { org_id: string; agent_id: string; counterparty_id: string | null }

type ProofRow = SubjectColumns & {
  proof_id: string
  assessment_id: string
  status: ProofStatus
  attempts: number
  due_at: Date | null
  claim: string | null
  error: string | null
  created_at: Date
  started_at: Date | null
  verified_at: Date | null
}

type ReceiptRow = SubjectColumns & {
  proof_id: string
  proof_type: string
  system: string
  system_version: string
  security_bits: number
  audited: boolean
  program_id: string
  formula: string
  journal: Buffer
  proof: Buffer
  proof_sha256: string
  proving_ms: number
}

type ProofTables = {
  risk_proof: ProofRow
  risk_receipt: ReceiptRow
  risk_proof_turn: { org_id: string; claimed_at: Date }
}

/** A requested proof, and the agents that its assessment is about. */
export type ProofRequest = {
  proofId: string
  assessmentId: string
  orgId: string
  agentId: string
  counterpartyId: string | null
  createdAt: Date
}

/** One attempt at one proof, identified by `claim`. */
export type Claim = { proofId: string; assessmentId: string; claim: string; attempts: number }

export type ProofState = { proofId: string; status: ProofStatus }

const SHOWN = [
  'proof_id',
  'assessment_id',
  'org_id',
  'status',
  'attempts',
  'error',
  'created_at',
  'started_at',
  'verified_at',
] as const

const REQUEST_COLUMNS = {
  proof_id: 'text',
  assessment_id: 'text',
  org_id: 'text',
  agent_id: 'text',
  counterparty_id: 'text',
  created_at: 'timestamptz',
}

export function createProofStore(db: Db) {
  const requests = createRequestRows(db)
  const attempts = createAttemptRows(db)
  const reads = createProofReads(db)
  const deletes = createProofDeletes(db)
  return {
    insertAll: requests.insertAll,
    restart: requests.restart,
    claim: attempts.claim,
    lost: attempts.lost,
    fail: attempts.fail,
    verify: attempts.verify,
    find: reads.find,
    findOfAssessment: reads.findOfAssessment,
    findReceipt: reads.findReceipt,
    statesOf: reads.statesOf,
    countWaiting: reads.countWaiting,
    deleteOfAgent: deletes.deleteOfAgent,
    deleteOfOrg: deletes.deleteOfOrg,
  }
}

function createRequestRows(db: Db) {
  const q = db.withTables<ProofTables>()
  return {
    /** Skips assessments that already have a proof. Returns the number of new proofs. */
    async insertAll(requests: readonly ProofRequest[]): Promise<number> {
      const rows = rowsOf(REQUEST_COLUMNS, requests.map(toRow))
      const added = await sql`insert into risk_proof (proof_id, assessment_id, org_id, agent_id,
          counterparty_id, status, due_at, created_at)
        select proof_id, assessment_id, org_id, agent_id, counterparty_id, 'pending', created_at,
          created_at
        from ${rows} as r
        on conflict (assessment_id) do nothing`.execute(db)
      return Number(added.numAffectedRows ?? 0)
    },

    /** Resets a failed proof to pending. False if it had not failed. */
    async restart(proofId: string, now: Date): Promise<boolean> {
      const changed = await q
        .updateTable('risk_proof')
        .set({ status: 'pending', attempts: 0, due_at: now, error: null, started_at: null })
        .where('proof_id', '=', proofId)
        .where('status', '=', 'failed')
        .executeTakeFirst()
      return Number(changed.numUpdatedRows) > 0
    },
  }
}

function createAttemptRows(db: Db) {
  const q = db.withTables<ProofTables>()
  return {
    /**
     * Claims one proof until the lease ends. Organisations take turns, so that one with a long queue
     * does not delay the others; within an organisation the proof that has been due longest is next.
     */
    async claim(given: { now: Date; leaseEnd: Date; claim: string }): Promise<Claim | undefined> {
      const { now, leaseEnd, claim } = given
      const rows = await sql<Pick<ProofRow, 'proof_id' | 'assessment_id' | 'attempts'>>`
        with next as (
          select due.org_id, first.proof_id
          from (select distinct org_id from risk_proof where status = 'pending' and due_at <= ${now})
            as due
          left join risk_proof_turn as turn on turn.org_id = due.org_id
          cross join lateral (
            select proof_id from risk_proof
            where org_id = due.org_id and status = 'pending' and due_at <= ${now}
            order by due_at, proof_id limit 1 for update skip locked) as first
          order by turn.claimed_at nulls first, due.org_id limit 1
        ), turned as (
          insert into risk_proof_turn (org_id, claimed_at) select org_id, clock_timestamp() from next
          on conflict (org_id) do update set claimed_at = excluded.claimed_at
        )
        update risk_proof set status = 'proving', attempts = attempts + 1, claim = ${claim},
          due_at = ${leaseEnd}, started_at = ${now}
        where proof_id in (select proof_id from next)
        returning proof_id, assessment_id, attempts`.execute(db)
      const row = rows.rows[0]
      if (row === undefined) return undefined
      const { proof_id: proofId, assessment_id: assessmentId, attempts } = row
      return { proofId, assessmentId, attempts, claim }
    },

    /** Locks the attempts whose lease has expired, until the transaction ends. */
    async lost(now: Date, limit: number): Promise<Claim[]> {
      const rows = await q
        .selectFrom('risk_proof')
        .select(['proof_id', 'assessment_id', 'attempts', 'claim'])
        .where('status', '=', 'proving')
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .execute()
      return rows.map((row) => ({
        proofId: row.proof_id,
        assessmentId: row.assessment_id,
        attempts: row.attempts,
        claim: row.claim ?? '',
      }))
    },

    /** False, with nothing written, if the claim is no longer current. */
    async fail(
      claimed: Claim,
      next: AfterFailure | { status: 'failed'; dueAt: null },
      error: string,
    ): Promise<boolean> {
      const changed = await q
        .updateTable('risk_proof')
        .set({ status: next.status, due_at: next.dueAt, claim: null, error })
        .where('proof_id', '=', claimed.proofId)
        .where('claim', '=', claimed.claim)
        .executeTakeFirst()
      return Number(changed.numUpdatedRows) > 0
    },

    /** Stores the receipt. False, with nothing written, if the claim is no longer current. */
    async verify(claimed: Claim, receipt: Receipt, now: Date): Promise<boolean> {
      const subject = await q
        .updateTable('risk_proof')
        .set({ status: 'verified', due_at: null, claim: null, error: null, verified_at: now })
        .where('proof_id', '=', claimed.proofId)
        .where('claim', '=', claimed.claim)
        .returning(['org_id', 'agent_id', 'counterparty_id'])
        .executeTakeFirst()
      if (subject === undefined) return false
      await q
        .insertInto('risk_receipt')
        .values({ ...subject, proof_id: claimed.proofId, ...toReceiptRow(receipt) })
        .execute()
      return true
    },
  }
}

function createProofReads(db: Db) {
  const q = db.withTables<ProofTables>()
  const findBy = async (column: 'proof_id' | 'assessment_id', id: string) => {
    const row = await q
      .selectFrom('risk_proof')
      .select(SHOWN)
      .where(column, '=', id)
      .executeTakeFirst()
    return row && toProof(row)
  }
  return {
    find: (proofId: string): Promise<Proof | undefined> => findBy('proof_id', proofId),

    findOfAssessment: (assessmentId: string): Promise<Proof | undefined> =>
      findBy('assessment_id', assessmentId),

    async findReceipt(proofId: string): Promise<Receipt | undefined> {
      const row = await q
        .selectFrom('risk_receipt')
        .selectAll()
        .where('proof_id', '=', proofId)
        .executeTakeFirst()
      return row && toReceipt(row)
    },

    /** By assessment; assessments without a proof are left out. */
    async statesOf(assessmentIds: readonly string[]): Promise<Map<string, ProofState>> {
      const rows = await q
        .selectFrom('risk_proof')
        .select(['assessment_id', 'proof_id', 'status'])
        .where('assessment_id', '=', sql<string>`any(${assessmentIds}::text[])`)
        .execute()
      return new Map(
        rows.map((row) => [row.assessment_id, { proofId: row.proof_id, status: row.status }]),
      )
    },

    async countWaiting(): Promise<number> {
      const counted = await q
        .selectFrom('risk_proof')
        .select(sql<number>`count(*)`.as('waiting'))
        .where('status', 'in', ['pending', 'proving'])
        .executeTakeFirstOrThrow()
      return counted.waiting
    },
  }
}

/** Deletes receipts last, because a worker may insert one as long as its proof exists. */
function createProofDeletes(db: Db) {
  const q = db.withTables<ProofTables>()
  const deleteBy = async (column: keyof SubjectColumns, id: string): Promise<void> => {
    await q.deleteFrom('risk_proof').where(column, '=', id).execute()
    await q.deleteFrom('risk_receipt').where(column, '=', id).execute()
  }
  return {
    deleteOfAgent: (agentId: string): Promise<void> =>
      asPurger(db, async () => {
        await deleteBy('agent_id', agentId)
        await deleteBy('counterparty_id', agentId)
      }),

    deleteOfOrg: (orgId: string): Promise<void> =>
      asPurger(db, async () => {
        await deleteBy('org_id', orgId)
        await q.deleteFrom('risk_proof_turn').where('org_id', '=', orgId).execute()
      }),
  }
}

function toRow(one: ProofRequest) {
  return {
    proof_id: one.proofId,
    assessment_id: one.assessmentId,
    org_id: one.orgId,
    agent_id: one.agentId,
    counterparty_id: one.counterpartyId,
    created_at: one.createdAt,
  }
}

function toProof(row: Pick<ProofRow, (typeof SHOWN)[number]>): Proof {
  return {
    proofId: row.proof_id,
    assessmentId: row.assessment_id,
    orgId: row.org_id,
    status: row.status,
    attempts: row.attempts,
    error: row.error,
    createdAt: row.created_at,
    startedAt: row.started_at,
    verifiedAt: row.verified_at,
  }
}

function toReceiptRow(receipt: Receipt) {
  return {
    proof_type: receipt.proofType,
    system: receipt.system,
    system_version: receipt.systemVersion,
    security_bits: receipt.securityBits,
    audited: receipt.audited,
    program_id: receipt.programId,
    formula: receipt.formula,
    journal: Buffer.from(receipt.journal),
    proof: Buffer.from(receipt.proof),
    proof_sha256: receipt.proofSha256,
    proving_ms: receipt.provingMs,
  }
}

function toReceipt(row: ReceiptRow): Receipt {
  return {
    proofType: row.proof_type,
    system: row.system,
    systemVersion: row.system_version,
    securityBits: row.security_bits,
    audited: row.audited,
    programId: row.program_id,
    formula: row.formula,
    journal: row.journal,
    proof: row.proof,
    proofSha256: row.proof_sha256,
    provingMs: row.proving_ms,
  }
}
