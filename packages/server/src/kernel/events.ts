import { sql } from 'kysely'
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
  'integrity.checkpoint': IntegrityData
  'integrity.violation': IntegrityData & {
    violation_type: string | null
    recommended_action: string
  }
  'conscience.escalation': {
    checkpoint_id: string
    agent_id: string
    session_id: string
    verdict: string
    conflicts: readonly { value: string; description: string }[]
  }
  'reputation.score_changed': {
    agent_id: string
    score_before: number | null
    score_after: number | null
    grade: string
    components: Readonly<Record<string, number | null>>
  }
  'reputation.grade_changed': {
    agent_id: string
    grade_before: string
    grade_after: string
    score: number | null
  }
  'drift.detected': {
    alert_id: string
    agent_id: string
    session_id: string
    kind: 'integrity' | 'trace'
    severity: 'low' | 'medium' | 'high'
    drift_direction: string
    similarity: number
    sustained_checks: number
    message: string
  }
  'drift.resolved': {
    alert_id: string
    agent_id: string
    org_id: string
    resolution: 'acknowledged' | 'recovered'
    acknowledged_by: string | null
  }
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

type IntegrityData = {
  checkpoint_id: string
  agent_id: string
  session_id: string
  verdict: string
  concerns: readonly { category: string; severity: string; description: string }[]
  reasoning_summary: string
  synthetic: boolean
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
  /** In this order, with one statement. */
  emitAll(tx: Db, events: readonly NewEvent[]): Promise<void>
  /** 04 §7.3: kept for 30 days. */
  purge(now: Date): Promise<number>
}

const KEPT_MS = 30 * DAY_MS

type EventTables = { event: { created_at: Date } }

/** The outbox: rolled back, nothing was said; committed, it is said for certain. */
export function createEvents(deps: {
  db: Db
  clock: Clock
  onEmit(type: EventType): void
}): Events {
  const emitAll = async (tx: Db, events: readonly NewEvent[]): Promise<void> => {
    if (events.length === 0) return
    const rows = events.map((event) => ({
      id: newId('evt'),
      type: event.type,
      org_id: event.orgId,
      account_id: event.accountId,
      data: event.data,
      created_at: deps.clock.now(),
    }))
    await sql`
      insert into event (id, type, org_id, account_id, data, created_at)
      select id, type, org_id, account_id, data, created_at
      from json_to_recordset(${JSON.stringify(rows)}::json) as r
        (id text, type text, org_id text, account_id text, data jsonb, created_at timestamptz)
    `.execute(tx)
    for (const event of events) deps.onEmit(event.type)
  }
  return {
    emitAll,
    emit: (tx, event) => emitAll(tx, [event]),
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
