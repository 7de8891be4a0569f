import { type Clock, DAY_MS, later } from './clock.ts'
import type { Db } from './db.ts'
import { newId } from './ids.ts'

/** What others may hear of, one entry per type (04 §5.3). Written in the causing transaction. */
export type EventData = {
  'subscription.status_changed': {
    status: string
    previous_plan_id: string
    new_plan_id: string
    cancel_at_period_end: boolean
  }
  'quota.warning': QuotaData
  'quota.exceeded': QuotaData
  'quota.team_reputation_warning': TeamQuotaData
  'quota.team_reputation_exceeded': TeamQuotaData
  'trace.created': TraceData
  'trace.verified': TraceData
  'trace.failed': TraceData
  'trace.escalation_required': TraceData
}

type Period = { period_start: string; period_end: string }

type QuotaData = Period & {
  meter: string
  usage_percent: number | null
  used: number
  included: number
  checks_used?: number
  checks_included?: number
}

type TeamQuotaData = Period & {
  usage_percent: number | null
  computations_used: number
  computations_included: number
}

/** The type of such an event is the most specific of `all_events`. */
type TraceData = {
  all_events: readonly string[]
  trace: {
    trace_id: string
    agent_id: string
    session_id: string
    action: { type: string; name: string; category: string }
    decision: { reasoning: string; alternatives_count: number; values_applied: readonly string[] }
    verification: {
      verified: boolean
      violations: readonly string[]
      warnings: readonly string[]
      similarity_score: number
    }
    escalation: { required: boolean; reason: string; triggered: boolean } | null
    policy: null
  }
}

export type EventType = keyof EventData

export type NewEvent = {
  [T in EventType]: { type: T; orgId: string; accountId: string; data: EventData[T] }
}[EventType]

export type Events = {
  emit(tx: Db, event: NewEvent): Promise<void>
  /** 04 §7.3: kept for 30 days. */
  purge(now: Date): Promise<number>
}

const KEPT_MS = 30 * DAY_MS

type EventTables = {
  event: {
    id: string
    type: string
    org_id: string
    account_id: string
    data: string
    created_at: Date
  }
}

/** The outbox: rolled back, nothing was said; committed, it is said for certain. */
export function createEvents(deps: {
  db: Db
  clock: Clock
  onEmit(type: EventType): void
}): Events {
  return {
    async emit(tx, event) {
      await tx
        .withTables<EventTables>()
        .insertInto('event')
        .values({
          id: newId('evt'),
          type: event.type,
          org_id: event.orgId,
          account_id: event.accountId,
          data: JSON.stringify(event.data),
          created_at: deps.clock.now(),
        })
        .execute()
      deps.onEmit(event.type)
    },
    async purge(now) {
      const gone = await deps.db
        .withTables<EventTables>()
        .deleteFrom('event')
        .where('created_at', '<', later(now, -KEPT_MS))
        .executeTakeFirst()
      return Number(gone.numDeletedRows)
    },
  }
}
