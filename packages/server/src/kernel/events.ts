import { sql } from 'kysely'
import { rowsOf } from '../postgres/rows.ts'
import { type Clock, DAY_MS, later } from './clock.ts'
import { type Db, purgeInPages } from './db.ts'
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
  'conscience.values_updated': {
    org_id: string
    action: 'create' | 'update' | 'activate' | 'deactivate' | 'delete' | 'reorder' | 'mode_change'
    value_id: string | null
    actor: string
  }
  'agent.paused': ContainmentData
  'agent.resumed': ContainmentData
  'agent.killed': ContainmentData
  'team.created': TeamData & { member_count: number; agent_ids: readonly string[] }
  'team.archived': TeamData
  'team.member_added': TeamMemberData
  'team.member_removed': TeamMemberData
  'team.card_updated': {
    team_id: string
    card_id: string
    version: number
    card_source: 'auto_derived' | 'manual' | 'hybrid'
    actor_id: string
  }
  'team_reputation.score_changed': {
    team_id: string
    score_before: number | null
    score_after: number | null
    grade: string
    components: Readonly<Record<string, number | null>>
  }
  'team_reputation.grade_changed': {
    team_id: string
    grade_before: string
    grade_after: string
    score: number | null
  }
  'trace.created': TraceData
  'trace.verified': TraceData
  'trace.failed': TraceData
  'trace.escalation_required': TraceData
  'policy.violation': TraceData
}

type ContainmentStatus = 'active' | 'paused' | 'killed'

type ContainmentData = {
  agent_id: string
  org_id: string
  action: 'pause' | 'auto_pause' | 'resume' | 'reactivate' | 'kill'
  actor: string
  reason: string | null
  previous_status: ContainmentStatus
  new_status: ContainmentStatus
}

type TeamData = { team_id: string; org_id: string; name: string }

type TeamMemberData = {
  team_id: string
  agent_id: string
  /** Null where an agent leaves because it is no more. */
  actor_id: string | null
  member_count: number
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

/** Violations and warnings are counts, tools the names of those that violate (02 §2.4). */
type PolicyFindings = {
  verdict: string
  violations: number
  warnings: number
  policy_id: string | null
  policy_version: number | null
  tools: readonly string[]
}

/** The type of such an event is the most specific of `all_events`. */
type TraceData = {
  all_events: readonly string[]
  trace: {
    /** Null, with all that only a trace has, where a call was judged before it was made. */
    trace_id: string | null
    agent_id: string
    session_id: string | null
    action: { type: string; name: string; category: string } | null
    decision: {
      reasoning: string
      alternatives_count: number
      values_applied: readonly string[]
    } | null
    verification: {
      verified: boolean
      violations: readonly string[]
      warnings: readonly string[]
      similarity_score: number
    } | null
    escalation: { required: boolean; reason: string; triggered: boolean } | null
    policy: PolicyFindings | null
  }
}

export type EventType = keyof EventData

export type NewEvent = {
  [T in EventType]: { type: T; orgId: string; accountId: string; data: EventData[T] }
}[EventType]

export type WrittenEvent = NewEvent & { id: string; createdAt: Date }

export type Events = {
  emit(tx: Db, event: NewEvent): Promise<void>
  /** In this order, with one statement. */
  emitAll(tx: Db, events: readonly NewEvent[]): Promise<void>
  /** 04 §7.3: kept for 30 days. */
  purge(now: Date): Promise<number>
}

/** What those need who tell others of events. */
export type Outbox = Events & {
  /**
   * Called in the transaction of the change, once its events are written: what follows is there
   * with them or not at all.
   */
  follow(follower: (tx: Db, events: readonly WrittenEvent[]) => Promise<void>): void
  /** Those of an organisation from a time on, oldest first, a page after the given one. */
  list(orgId: string, window: EventWindow): Promise<WrittenEvent[]>
  /** One of that organisation, while it is kept. */
  find(orgId: string, id: string): Promise<WrittenEvent | undefined>
}

export type EventWindow = {
  since: Date
  until: Date
  after: { id: string; createdAt: Date } | undefined
  limit: number
}

const KEPT_MS = 30 * DAY_MS

type EventTables = {
  event: {
    id: string
    type: string
    org_id: string
    account_id: string
    data: unknown
    created_at: Date
  }
}

/** The outbox: rolled back, nothing was said; committed, it is said for certain. */
export function createEvents(deps: {
  db: Db
  clock: Clock
  onEmit(type: EventType): void
}): Outbox {
  const followers: Parameters<Outbox['follow']>[0][] = []
  const emitAll = async (tx: Db, events: readonly NewEvent[]): Promise<void> => {
    if (events.length === 0) return
    const createdAt = deps.clock.now()
    const written = events.map((event) => writtenAt(event, createdAt))
    await insert(tx, written)
    for (const follower of followers) await follower(tx, written)
    for (const event of events) deps.onEmit(event.type)
  }
  return {
    emitAll,
    emit: (tx, event) => emitAll(tx, [event]),
    follow: (follower) => void followers.push(follower),
    list: (orgId, window) => list(deps.db, orgId, window),
    find: (orgId, id) => find(deps.db, orgId, id),
    async purge(now) {
      const before = later(now, -KEPT_MS)
      return purgeInPages(async (rowsMax) => {
        const gone = await sql`delete from event where id in (
          select id from event where created_at < ${before} limit ${rowsMax})`.execute(deps.db)
        return Number(gone.numAffectedRows ?? 0)
      })
    },
  }
}

/** Written out: events are many, and a copy with more members costs many times as much. */
function writtenAt({ type, orgId, accountId, data }: NewEvent, createdAt: Date): WrittenEvent {
  return { type, orgId, accountId, data, id: newId('evt'), createdAt } as WrittenEvent
}

const EVENT_COLUMNS = {
  id: 'text',
  type: 'text',
  org_id: 'text',
  account_id: 'text',
  data: 'jsonb',
  created_at: 'timestamptz',
}

async function insert(tx: Db, events: readonly WrittenEvent[]): Promise<void> {
  const rows = events.map((event) => ({
    id: event.id,
    type: event.type,
    org_id: event.orgId,
    account_id: event.accountId,
    data: event.data,
    created_at: event.createdAt,
  }))
  await sql`
    insert into event (id, type, org_id, account_id, data, created_at)
    select id, type, org_id, account_id, data, created_at
    from ${rowsOf(EVENT_COLUMNS, rows)} as r
  `.execute(tx)
}

async function list(db: Db, orgId: string, window: EventWindow): Promise<WrittenEvent[]> {
  const { since, until, after, limit } = window
  const rows = await db
    .withTables<EventTables>()
    .selectFrom('event')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('created_at', '>=', after?.createdAt ?? since)
    .where('created_at', '<=', until)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, id) > (${after?.createdAt}, ${after?.id})`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toEvent)
}

async function find(db: Db, orgId: string, id: string): Promise<WrittenEvent | undefined> {
  const row = await db
    .withTables<EventTables>()
    .selectFrom('event')
    .selectAll()
    .where('id', '=', id)
    .where('org_id', '=', orgId)
    .executeTakeFirst()
  return row && toEvent(row)
}

function toEvent(row: EventTables['event']): WrittenEvent {
  const { id, type, data } = row
  const about = { orgId: row.org_id, accountId: row.account_id, createdAt: row.created_at }
  return { id, type, data, ...about } as WrittenEvent
}
