import type { Verdict } from '@touchstone/protocol/analysis'
import type { ReclassifiedType } from '@touchstone/protocol/control'
import { isSynthetic, type SealedCheckpoint } from '@touchstone/protocol/evidence'
import type { Violation } from '@touchstone/protocol/score'
import type { Db, Page, PageRequest } from '../../../kernel/db.ts'
import { createAppendStore } from './append-store.ts'
import { withSession } from './head.ts'
import { createReclassificationStore, type Gap } from './reclassification-store.ts'
import { createScoringStore } from './scoring-store.ts'
import { withRuns } from './session.ts'
import { type CheckpointFilter, createCheckpointStore } from './store.ts'
import {
  createViolationStore,
  type StoredViolation,
  type ViolationPlace,
  type ViolationSpan,
} from './violation-store.ts'

export type ViolationFilter = {
  agentId: string
  verdict: Verdict | undefined
  /** Undefined: both. */
  reclassified: boolean | undefined
  from?: Date | undefined
  to?: Date | undefined
}

/** What no longer counts for an agent's score. */
export type Excluded = {
  violations: readonly Omit<Violation, 'cardGap'>[]
  /** Sessions that are stable without them. */
  sessionsRegained: number
}

/** What violations turn out to be later on, and what that does to the counts kept of sessions. */
export function createReclassificationService(deps: { db: Db }) {
  return {
    /** Newest first. */
    async pageOfViolations(
      { agentId, verdict, reclassified, from, to }: ViolationFilter,
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
        sessionId: undefined,
        synthetic: undefined,
        flagged: undefined,
      }
      return { ...page, items: await store.list(filter, page), total: await store.count(filter) }
    },

    /** Oldest first. */
    violationsAfter: (
      span: ViolationSpan,
      after: ViolationPlace | undefined,
      limit: number,
    ): Promise<StoredViolation[]> => createViolationStore(deps.db).listAfter(span, after, limit),

    /** Undefined for another agent's; the type is null for what is no violation (02 §4.1). */
    async findViolation(
      db: Db,
      wanted: { agentId: string; checkpointId: string },
    ): Promise<{ violationType: string | null } | undefined> {
      const found = await createCheckpointStore(db).find(wanted.checkpointId)
      if (found?.checkpoint.agentId !== wanted.agentId) return undefined
      const { checkpoint } = found
      return { violationType: isSynthetic(checkpoint) ? null : checkpoint.violationType }
    },

    /** False when it was reclassified before. Scores take no notice until it is applied. */
    markReclassified: (
      tx: Db,
      of: { agentId: string; checkpointId: string; newType: ReclassifiedType },
    ): Promise<boolean> => createReclassificationStore(tx).mark(of),

    /**
     * From now on scores take them so. Gives what no longer counts of each agent, and how many
     * sessions became stable by it; the chains of those agents are locked until the transaction
     * ends.
     */
    async applyReclassified(
      tx: Db,
      reclassified: readonly { agentId: string; checkpointId: string }[],
      at: Date,
    ): Promise<ReadonlyMap<string, Excluded>> {
      const agentIds = [...new Set(reclassified.map(({ agentId }) => agentId))]
      // Before anything is read of the sessions: what arrives meanwhile changes them, too.
      const heads = await createAppendStore(tx).lockHeads(agentIds)
      const gaps = await createReclassificationStore(tx).apply(reclassified, at)
      const excluded = new Map<string, Excluded>()
      for (const [agentId, head] of heads) {
        const own = gaps.filter((gap) => gap.agentId === agentId)
        const sessions = await sessionsAfter(tx, agentId, own)
        const counts = sessions.reduce(withSession, head.counts)
        await createAppendStore(tx).save({
          checkpoints: [],
          sessions: sessions.map(({ after }) => after),
          heads: [{ ...head, counts }],
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

/** Leaving something out cannot make a stable session unstable, so only others are read again. */
async function sessionsAfter(tx: Db, agentId: string, gaps: readonly Gap[]) {
  const gapSessions = [...new Set(gaps.map(({ sessionId }) => sessionId))]
  const places = gapSessions.map((sessionId) => ({ agentId, sessionId }))
  const followed = await createAppendStore(tx).sessions(places)
  const touched = followed
    .map(({ session }) => session)
    .filter(({ unstable, streak }) => unstable || streak !== null)
  const sessionIds = touched.map(({ sessionId }) => sessionId)
  const runs = await createScoringStore(tx).runs(agentId, sessionIds)
  return touched.map((before) => {
    const found = runs.get(before.sessionId)
    return { before, after: found === undefined ? before : withRuns(before, found) }
  })
}
