import type { LogProof } from '@touchstone/protocol/log'
import { type LiveDecision, toLiveDecision } from '../../../decision-wire.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { type DecisionId, toDecisionId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { type BatchSpan, listBatches } from './batch-store.ts'
import type { DecisionFilter } from './decision-filter.ts'
import { isDecisionId, type LoggedDecision, type StoredDecision } from './decision-record.ts'
import { createHistory, type Plans } from './history-service.ts'
import type { LogEntries, LogProofs } from './ports.ts'
import { batchRootOf, receiptsOf, rootOfBatch, statementOf } from './receipt.ts'
import { createRecordStore, type NamedDecision } from './record-store.ts'
import { createDecisionStore } from './store.ts'

export type ReadDeps = {
  db: Db
  clock: Clock
  secrets: SecretBox
  plans: Plans
  entries: LogEntries
  proofs: LogProofs
}

export type DecisionList = { decisions: LoggedDecision[]; nextCursor: string | null }

/** The page after the given decision. */
export type ReadPage = (
  after: StoredDecision | undefined,
  limit: number,
) => Promise<LoggedDecision[]>

export type DecisionReads = ReturnType<typeof createDecisionReads>

export function createDecisionReads({ db, clock, secrets, plans, entries, proofs }: ReadDeps) {
  const store = createDecisionStore(db)
  const history = createHistory(plans, clock)
  /** Lists only what the plan shows. */
  const visible = async (filter: DecisionFilter): Promise<DecisionFilter> => {
    const since = await history.since(filter.orgId)
    if (since === undefined || (filter.from ?? NEVER) >= since) return filter
    return { ...filter, from: since }
  }
  const withLogIndexes = async (
    decisions: readonly StoredDecision[],
  ): Promise<LoggedDecision[]> => {
    const signed = receiptsOf(decisions)
    const roots = [...new Set(signed.map(({ root }) => root))]
    const indexes = await entries.indexesOf('decisions', roots)
    return signed.map(({ root, ...one }) => ({ ...one, logIndex: indexes.get(root) ?? null }))
  }
  return {
    async find(orgId: string, decisionId: string): Promise<LoggedDecision | undefined> {
      if (!isDecisionId(decisionId)) return undefined
      const found = await store.find(orgId, decisionId)
      const since = await history.since(orgId)
      const isHidden = since !== undefined && found !== undefined && found.decidedAt < since
      if (found === undefined || isHidden) return undefined
      return (await withLogIndexes([found]))[0]
    },

    /** The proof that the batch of a decision is in the log, once a published checkpoint holds it. */
    async findProof({ receipt, logIndex }: LoggedDecision): Promise<LogProof | undefined> {
      const root = logIndex === null ? undefined : receipt.batch?.root
      return root === undefined ? undefined : proofs.findProof('decisions', root)
    },

    /** Batches with their decisions, whatever the plan shows, in the order of their ids. */
    async batchesAfter(span: BatchSpan, after: string | undefined, limit: number) {
      const batches = await listBatches(db, span, { after, limit })
      return batches.map(({ decisions, ...batch }) => ({
        ...batch,
        root: rootOfBatch(batch),
        decisions: decisions.map((stored) => ({
          index: stored.batch.index,
          statement: statementOf(stored),
          context: contextOf(stored),
        })),
      }))
    },

    /** The root of the batch of a decision, as the witnessed log has it. */
    async batchRootOf(orgIds: readonly string[], decisionId: string): Promise<string | undefined> {
      if (!isDecisionId(decisionId)) return undefined
      for (const orgId of orgIds) {
        const found = await store.find(orgId, decisionId)
        if (found !== undefined) return batchRootOf(found)
      }
      return undefined
    },

    /** For records that name decisions, whatever the plan shows. */
    findNamed(
      orgId: string,
      decisionIds: readonly string[],
    ): Promise<ReadonlyMap<string, NamedDecision>> {
      return createRecordStore(db).findNamed(orgId, decisionIds.filter(isDecisionId))
    },

    /** The newest decisions as messages of the live stream, oldest first. */
    async recentFrames(orgId: string, limit: number): Promise<LiveDecision[]> {
      const since = (await history.since(orgId)) ?? NEVER
      const recent = await createRecordStore(db).recent(orgId, limit)
      const shown = recent.filter(({ decidedAt }) => decidedAt >= since)
      return shown.reverse().map(toLiveDecision)
    },

    /** Newest first. A cursor is sealed for its organisation, so it cannot be forged or shared. */
    async list(
      filter: DecisionFilter,
      { cursor, limit }: { cursor: string | undefined; limit: number },
    ): Promise<DecisionList> {
      const purpose = `decision cursor ${filter.orgId}`
      const before = cursor === undefined ? undefined : openCursor(secrets, cursor, purpose)
      const found = await store.list(await visible(filter), { before, limit: limit + 1 })
      const decisions = await withLogIndexes(found.slice(0, limit))
      const last = found.length > limit ? decisions.at(-1) : undefined
      return {
        decisions,
        nextCursor: last === undefined ? null : secrets.seal(last.decisionId, purpose),
      }
    },

    /** Reads every visible decision in pages, newest first; what is stored meanwhile is left out. */
    async reader(wanted: DecisionFilter): Promise<ReadPage> {
      const filter = await visible(wanted)
      return async (after, limit) =>
        withLogIndexes(await store.list(filter, { before: after?.decisionId, limit }))
    },
  }
}

const NEVER = new Date(0)

/** The members of a decision beside its statement. */
function contextOf(stored: StoredDecision) {
  return {
    reasons: stored.reasons,
    verdict: stored.verdict,
    enforcement_mode: stored.enforcementMode,
    agent_enforcement_mode: stored.agentEnforcementMode,
    asked_by: stored.askedBy,
    source: stored.source,
    client: stored.client,
    enforced: stored.enforced,
    session_id: stored.sessionId,
    call_id: stored.callId,
    bypassed: stored.outcome?.bypassed ?? false,
  }
}

function openCursor(secrets: SecretBox, cursor: string, purpose: string): DecisionId {
  try {
    return toDecisionId(secrets.open(cursor, purpose))
  } catch (err) {
    const message = 'must be a next_cursor of this list'
    throw new Problem('invalid_request', `cursor: ${message}`, {
      details: [{ path: '/cursor', code: 'invalid', message }],
      cause: err,
    })
  }
}
