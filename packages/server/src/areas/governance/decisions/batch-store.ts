import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { firstUuidAt, timeOfUuid } from '../../../kernel/ids.ts'
import type { StoredDecision } from './decision-record.ts'
import { type SignedRow, toLeaves, toStored } from './decision-row.ts'

/** A batch as it was signed, with those of its decisions that are still stored. */
export type StoredBatch = {
  batchId: string
  signedAt: Date
  keyId: string
  /** Base64. */
  signature: string
  leaves: readonly Uint8Array[]
  decisions: readonly StoredDecision[]
}

export type BatchSpan = { orgId: string; from: Date; to: Date }

type BatchRow = {
  batch_id: string
  signed_at: Date
  key_id: string
  signature: Buffer
  leaves: Buffer
}

/** Longer than any decision waits to be signed with others. */
const WAIT_MS_MAX = 60_000

/** Batches that were signed in a span, in the order of their ids. */
export async function listBatches(
  db: Db,
  { orgId, from, to }: BatchSpan,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<StoredBatch[]> {
  // A batch has the id of its last decision, which is older than the signature.
  const first = after ?? firstUuidAt(from.getTime() - WAIT_MS_MAX)
  const found = await sql<BatchRow>`select batch_id, signed_at, key_id, signature, leaves
    from decision_batch
    where org_id = ${orgId} and batch_id > ${first}::uuid
      and batch_id < ${firstUuidAt(to.getTime())}::uuid
    order by batch_id limit ${limit}`.execute(db)
  const decisions = await decisionsOf(db, orgId, found.rows)
  return found.rows.map((row) => ({
    batchId: row.batch_id,
    signedAt: row.signed_at,
    keyId: row.key_id,
    signature: row.signature.toString('base64'),
    leaves: toLeaves(row.leaves),
    decisions: decisions.get(row.batch_id) ?? [],
  }))
}

/** By batch. Decisions have no index by batch, but are a little older than theirs. */
async function decisionsOf(db: Db, orgId: string, batches: readonly BatchRow[]) {
  const byBatch = new Map<string, StoredDecision[]>(batches.map((row) => [row.batch_id, []]))
  const [oldest, newest] = [batches.at(0), batches.at(-1)]
  if (oldest === undefined || newest === undefined) return byBatch
  const first = firstUuidAt(timeOfUuid(oldest.batch_id) - WAIT_MS_MAX)
  const found = await sql<SignedRow & { batch_id: string }>`
    select d.*, k.agent_id, k.tool, k.decision, k.reasons, k.verdict, k.enforcement_mode,
      k.agent_enforcement_mode, k.policy_id, k.policy_version, k.asked_by, k.source, k.enforced,
      k.outcome, k.bypassed
    from decision d join decision_kind k on k.org_id = d.org_id and k.kind_id = d.kind_id
    where d.org_id = ${orgId} and d.decision_id >= ${first}::uuid
      and d.decision_id <= ${newest.batch_id}::uuid
      and d.batch_id = any(${[...byBatch.keys()]}::uuid[])`.execute(db)
  const rows = new Map(batches.map((row) => [row.batch_id, row]))
  for (const row of found.rows) {
    const batch = rows.get(row.batch_id)
    if (batch !== undefined) byBatch.get(row.batch_id)?.push(toStored({ ...row, ...batch }))
  }
  return byBatch
}
