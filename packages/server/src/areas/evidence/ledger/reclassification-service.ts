import type { Verdict } from '@touchstone/protocol/analysis'
import type { ReclassifiedType } from '@touchstone/protocol/control'
import type { SealedCheckpoint } from '@touchstone/protocol/evidence'
import type { Violation } from '@touchstone/protocol/score'
import type { Db, Page, PageRequest } from '../../../kernel/db.ts'
import { createAppendStore } from './append-store.ts'
import { withSession } from './head.ts'
import { createReclassificationStore, type Gap } from './reclassification-store.ts'
import { createScoringStore } from './scoring-store.ts'
import { withRuns } from './session.ts'
import { type CheckpointFilter, createCheckpointStore } from './store.ts'
import { createViolationDayStore, type Reclassified } from './violation-day-store.ts'
import {
  createViolationStore,
  type JudgedCheckpoint,
  type StoredViolation,
  type ViolationKind,
  type ViolationPlace,
  type ViolationSpan,
} from './violation-store.ts'

export type ViolationFilter = {
  agentId: string
  verdict: Verdict | undefined
  /** Undefined for both. */
  reclassified: boolean | undefined
  type?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
}

/** Violations and sessions that no longer lower an agent's score. */
export type Excluded = {
  violations: readonly Omit<Violation, 'cardGap'>[]
  /** The number of sessions that are stable without them. */
  sessionsRegained: number
}

/** Reclassified violations, and their effect on the running counts of sessions. */
export function createReclassificationService(deps: { db: Db }) {
  return {
    /** Newest first. */
    async pageOfViolations(
      { agentId, verdict, reclassified, type, from, to }: ViolationFilter,
      page: PageRequest,
    ): Promise<Page<SealedCheckpoint>> {
      const store = createCheckpointStore(deps.db)
      const filter: CheckpointFilter = {
        agentId,
        verdict,
        reclassified,
        from,
        to,
        violating: true,
        violationType: type,
        sessionId: undefined,
        synthetic: undefined,
        flagged: undefined,
        provenance: undefined,
      }
      return { ...page, items: await store.list(filter, page), total: await store.count(filter) }
    },

    /** Oldest first. */
    violationsAfter: (
      span: ViolationSpan,
      after: ViolationPlace | undefined,
      limit: number,
    ): Promise<StoredViolation[]> => createViolationStore(deps.db).listAfter(span, after, limit),

    violationTypes: (
      agentId: string,
      span: { from: Date | undefined; to: Date | undefined },
    ): Promise<ViolationKind[]> => createViolationStore(deps.db).types(agentId, span),

    countViolations: (
      agentIds: readonly string[],
      range: { from: Date; to: Date },
    ): Promise<Map<string, number>> => createViolationStore(deps.db).counts(agentIds, range),

    /** Undefined for another agent's checkpoint; the type is null if it is not a violation (spec: control §1.1). */
    findViolation: (
      db: Db,
      wanted: { agentId: string; checkpointId: string },
    ): Promise<JudgedCheckpoint | undefined> => createViolationStore(db).find(wanted),

    /** Violations of the last days and those that are card gaps, by agent, from running counts. */
    reclassifiedSince: (
      db: Db,
      agentIds: readonly string[],
      since: Date,
    ): Promise<Map<string, Reclassified>> => createViolationDayStore(db).totals(agentIds, since),

    /** False if it was reclassified before. Scores ignore it until it is applied. */
    async markReclassified(
      tx: Db,
      of: { agentId: string; checkpointId: string; newType: ReclassifiedType },
    ): Promise<boolean> {
      const marked = await createReclassificationStore(tx).mark(of)
      if (marked && of.newType === 'card_gap') await createViolationDayStore(tx).addCardGap(of)
      return marked
    },

    /**
     * Makes scores use the reclassifications from now on. Returns what no longer counts for each
     * agent. The chains of those agents stay locked until the transaction ends.
     */
    async applyReclassified(
      tx: Db,
      reclassified: readonly { agentId: string; checkpointId: string }[],
      at: Date,
    ): Promise<ReadonlyMap<string, Excluded>> {
      const agentIds = [...new Set(reclassified.map(({ agentId }) => agentId))]
      // Locks before the sessions are read, because concurrent appends change them, too.
      const heads = await createAppendStore(tx).lockHeads(agentIds)
      const gaps = await createReclassificationStore(tx).apply(reclassified, at)
      const excluded = new Map<string, Excluded>()
      for (const [agentId, head] of heads) {
        const own = gaps.filter((gap) => gap.agentId === agentId)
        const sessions = await sessionsAfter(tx, agentId, own)
        const counts = sessions.reduce(withSession, head.counts)
        await createAppendStore(tx).save({
          checkpoints: [],
          slots: [],
          sessions: sessions.map(({ after }) => after),
          heads: [{ ...head, counts }],
          days: [],
        })
        excluded.set(agentId, {
          violations: own.filter(({ isBoundaryViolation }) => isBoundaryViolation),
          sessionsRegained: head.counts.sessionsUnstable - counts.sessionsUnstable,
        })
      }
      return excluded
    },
  }
}

/** Removing checkpoints cannot make a stable session unstable, so only unstable ones are recomputed. */
async function sessionsAfter(tx: Db, agentId: string, gaps: readonly Gap[]) {
  const gapSessions = [...new Set(gaps.map(({ sessionId }) => sessionId))]
  const places = gapSessions.map((sessionId) => ({ agentId, sessionId }))
  const found = await createAppendStore(tx).sessions(places)
  const touched = found
    .map(({ session }) => session)
    .filter(({ unstable, streak }) => unstable || streak !== null)
  const sessionIds = touched.map(({ sessionId }) => sessionId)
  const runs = await createScoringStore(tx).runs(agentId, sessionIds)
  return touched.map((before) => {
    const left = runs.get(before.sessionId)
    return { before, after: left === undefined ? before : withRuns(before, left) }
  })
}
