import { sql } from 'kysely'
import {
  type PartitionedTable,
  prepareMonths,
  purgeMonths,
} from '../postgres/monthly-partitions.ts'
import { rowsOf } from '../postgres/rows.ts'
import { type Clock, DAY_MS, later } from './clock.ts'
import type { Db } from './db.ts'
import { newId, type OrgId } from './ids.ts'

/**
 * Event types with the data they carry. Each area registers its own in `areas/<area>/events.ts` by
 * declaration merging, so that this module knows no domain.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the areas
export interface EventData {}

export type EventType = keyof EventData

export type NewEvent = {
  [T in EventType]: { type: T; orgId: string; accountId: string; data: EventData[T] }
}[EventType]

export type WrittenEvent = NewEvent & { id: string; createdAt: Date }

export type Events = {
  emit(tx: Db, event: NewEvent): Promise<void>
  /** In this order, with one statement. */
  emitAll(tx: Db, events: readonly NewEvent[]): Promise<void>
  /** Deletes months that ended 30 days ago (spec: platform §6.3). Returns how many, with other rows. */
  purge(now: Date): Promise<number>
}

/** For features that deliver events to others. */
export type Outbox = Events & {
  /** Subscribers run in the transaction of the change, after its events are written. */
  subscribe(subscriber: Subscriber): void
  /** An organisation's events in a window of time, oldest first, starting after the given one. */
  list(orgId: string, window: EventWindow): Promise<WrittenEvent[]>
  /** Undefined if the event is another organisation's or past its retention. */
  find(orgId: string, id: string): Promise<WrittenEvent | undefined>
  /** Creates the partitions of the coming months. */
  prepare(): Promise<void>
  /** Called when the organisation is erased. */
  erase(tx: Db, orgId: OrgId): Promise<void>
}

type Subscriber = (tx: Db, events: readonly WrittenEvent[]) => Promise<void>

export type EventWindow = {
  since: Date
  until: Date
  after: { id: string; createdAt: Date } | undefined
  limit: number
}

const KEPT_MS = 30 * DAY_MS

const TABLES: readonly PartitionedTable[] = [{ name: 'event', key: 'created_at', holds: 'time' }]

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

/** A transactional outbox: an event is delivered if and only if its transaction commits. */
export function createEvents(deps: {
  db: Db
  clock: Clock
  onEmit(type: EventType): void
}): Outbox {
  const subscribers: Subscriber[] = []
  const emitAll = async (tx: Db, events: readonly NewEvent[]): Promise<void> => {
    if (events.length === 0) return
    const createdAt = deps.clock.now()
    const written = events.map((event) => writtenAt(event, createdAt))
    await insert(tx, written)
    for (const subscriber of subscribers) await subscriber(tx, written)
    for (const event of events) deps.onEmit(event.type)
  }
  return {
    emitAll,
    emit: (tx, event) => emitAll(tx, [event]),
    subscribe: (subscriber) => void subscribers.push(subscriber),
    list: (orgId, window) => list(deps.db, orgId, window),
    find: (orgId, id) => find(deps.db, { orgId, id, since: later(deps.clock.now(), -KEPT_MS) }),
    async erase(tx, orgId) {
      await sql`delete from event where org_id = ${orgId}`.execute(tx)
    },
    prepare: () => prepareMonths(deps.db, TABLES, deps.clock.now()),
    async purge(now) {
      await prepareMonths(deps.db, TABLES, now)
      return purgeMonths(deps.db, TABLES, later(now, -KEPT_MS))
    },
  }
}

/**
 * Lists the fields, because spreading an object per event is measurably slower. The cast is safe:
 * type and data come from the same event, which destructuring hides from TypeScript.
 */
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

async function find(
  db: Db,
  { orgId, id, since }: { orgId: string; id: string; since: Date },
): Promise<WrittenEvent | undefined> {
  const row = await db
    .withTables<EventTables>()
    .selectFrom('event')
    .selectAll()
    .where('id', '=', id)
    .where('org_id', '=', orgId)
    // A month is kept until all of it may go.
    .where('created_at', '>=', since)
    .executeTakeFirst()
  return row && toEvent(row)
}

/** The cast is safe, because only `insert` writes rows. */
function toEvent(row: EventTables['event']): WrittenEvent {
  return {
    id: row.id,
    type: row.type,
    orgId: row.org_id,
    accountId: row.account_id,
    data: row.data,
    createdAt: row.created_at,
  } as WrittenEvent
}
