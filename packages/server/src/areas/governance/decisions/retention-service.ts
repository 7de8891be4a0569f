import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, purgeInPages } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import { monthStart, prepareMonths, purgeMonths } from '../../../postgres/monthly-partitions.ts'
import { createKindStore } from './kind-store.ts'
import { createStopEventStore } from './stop-event-store.ts'
import { createDecisionStore } from './store.ts'

export type RetentionDeps = { db: Db; clock: Clock; retentionDays: number }

const TABLES = [
  { name: 'decision', key: 'decision_id', holds: 'uuid' },
  { name: 'decision_batch', key: 'batch_id', holds: 'uuid' },
] as const

/** Longer than any month: the newest decision of a kind may be in the last day of a kept month. */
const KIND_MARGIN_MS = 62 * DAY_MS

/**
 * Creates the partitions of coming months, and drops those that are older than the retention. A decision
 * at a clock that is wrong is in the default partition, until its month comes or is older than that.
 */
export function createDecisionRetention({ db, clock, retentionDays }: RetentionDeps) {
  return {
    prepare: (): Promise<void> => prepareMonths(db, TABLES, clock.now()),

    /** Creates the partitions of past months as well, for decisions at a clock that is set back. */
    prepareSince: (since: Date): Promise<void> => prepareMonths(db, TABLES, clock.now(), since),

    /** Returns the number of partitions, rows outside of them, and kinds that were deleted. */
    async purge(now: Date): Promise<number> {
      await prepareMonths(db, TABLES, now)
      const before = later(now, -retentionDays * DAY_MS)
      // By whole months everywhere, because a batch is kept as long as any of its decisions.
      const dropped = await purgeMonths(db, TABLES, monthStart(before))
      const kinds = await purgeInPages((rowsMax) =>
        createKindStore(db).deleteUnusedSince(later(before, -KIND_MARGIN_MS), rowsMax),
      )
      return dropped + kinds
    },

    async eraseAgent(tx: Db, agentId: AgentId): Promise<void> {
      await createStopEventStore(tx).deleteOfAgent(agentId)
      await createDecisionStore(tx).deleteOfAgent(agentId)
    },

    async eraseOrg(tx: Db, orgId: OrgId): Promise<void> {
      await createStopEventStore(tx).deleteOfOrg(orgId)
      await createDecisionStore(tx).deleteOfOrg(orgId)
    },
  }
}
