import { type Clock, HOUR_MS, later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import type { Events, NewEvent } from '../../../kernel/events.ts'
import { blockedEvent, escalatedEvent } from './decision-event.ts'
import type { DecisionRecord } from './decision-record.ts'
import type { Orgs } from './ports.ts'
import { createRecordStore } from './record-store.ts'
import { type BlockedCalls, createStopEventStore } from './stop-event-store.ts'

export type StopEventDeps = { db: Db; clock: Clock; events: Events; orgs: Orgs }

/** spec: decisions §5: equal blocked calls emit at most one event in this time. */
const BLOCKED_INTERVAL_MS = MINUTE_MS

/** Counts without an event to come are only needed for the interval above. */
const TOLD_RETENTION_MS = HOUR_MS

const OVERDUE_MAX = 1000

/** Decisions that stop a call have an event. */
export function isStopped({ decision }: Pick<DecisionRecord, 'decision'>): boolean {
  return decision === 'block' || decision === 'escalate'
}

/** Emits the events of calls that were blocked or escalated. */
export function createStopEvents(deps: StopEventDeps) {
  /** An organisation that was deleted has no account to send events to. */
  const emit = async (tx: Db, written: readonly Written[]): Promise<void> => {
    const accounts = new Map<string, string | undefined>()
    for (const { record } of written) {
      const { orgId } = record
      if (!accounts.has(orgId)) accounts.set(orgId, await deps.orgs.accountOf(tx, orgId))
    }
    const events = written.flatMap(({ record, event }): NewEvent[] => {
      const accountId = accounts.get(record.orgId)
      return accountId === undefined ? [] : [{ orgId: record.orgId, accountId, ...event }]
    })
    await deps.events.emitAll(tx, events)
  }
  return {
    /** Runs in the transaction that stores the decisions. */
    async announce(tx: Db, stopped: readonly DecisionRecord[]): Promise<void> {
      const blocked = blockedCallsOf(stopped)
      const due =
        blocked.length === 0
          ? []
          : await createStopEventStore(tx).claim(blocked, BLOCKED_INTERVAL_MS)
      const counts = new Map(due.map(({ decisionId, count }) => [decisionId, count]))
      const written = stopped.flatMap((record): Written[] => {
        if (record.decision === 'escalate') return [{ record, event: escalatedEvent(record) }]
        const count = counts.get(record.decisionId)
        return count === undefined ? [] : [{ record, event: blockedEvent(record, count) }]
      })
      if (written.length > 0) await emit(tx, written)
    },

    /** Emits the counts of calls that were blocked since their last event and are not followed by others. */
    async announceOverdue(): Promise<void> {
      await transact(deps.db, async (tx) => {
        const due = await createStopEventStore(tx).claimOverdue(
          deps.clock.now(),
          BLOCKED_INTERVAL_MS,
          OVERDUE_MAX,
        )
        const written: Written[] = []
        for (const { orgId, decisionId, count } of due) {
          const found = await createRecordStore(tx).find(orgId, [decisionId])
          const record = found.get(decisionId)?.decision
          if (record !== undefined) written.push({ record, event: blockedEvent(record, count) })
        }
        await emit(tx, written)
      })
    },

    purge: (now: Date): Promise<number> =>
      purgeInPages((rowsMax) =>
        createStopEventStore(deps.db).deleteBefore(later(now, -TOLD_RETENTION_MS), rowsMax),
      ),
  }
}

type Written = {
  record: DecisionRecord
  event: ReturnType<typeof blockedEvent> | ReturnType<typeof escalatedEvent>
}

/** Counts blocked calls that are equal in agent, policy version and tool. */
function blockedCallsOf(stopped: readonly DecisionRecord[]): BlockedCalls[] {
  const byCall = new Map<string, BlockedCalls>()
  for (const record of stopped) {
    if (record.decision !== 'block') continue
    const { orgId, agentId, policyVersion, tool, decisionId, decidedAt } = record
    const key = JSON.stringify([agentId, policyVersion ?? 0, tool])
    const count = (byCall.get(key)?.count ?? 0) + 1
    byCall.set(key, { orgId, agentId, policyVersion, tool, decisionId, at: decidedAt, count })
  }
  return [...byCall.values()]
}
