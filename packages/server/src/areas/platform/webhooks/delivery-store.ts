import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import { type Attempt, type Delivery, type DeliveryStatus, isFinished } from './delivery.ts'

type DeliveryRow = {
  delivery_id: string
  seq: number
  event_id: string
  endpoint_id: string
  org_id: string
  event_type: string
  cause: string
  status: Exclude<DeliveryStatus, 'delivering'>
  attempt_count: number
  attempts: Attempt[]
  last_response_status: number | null
  last_error: string | null
  latency_ms: number | null
  created_at: Date
  updated_at: Date
}

/** The queue entry of a delivery that is not finished. */
type DueRow = { seq: number; endpoint_id: string; due_at: Date }

/** A delivery with the state of its queue entry. */
type LogRow = DeliveryRow & { next_due_at: Date | null; is_taken: boolean }

type DeliveryTables = {
  webhook_delivery: DeliveryRow
  webhook_due: DueRow
  webhook_lane: { endpoint_id: string }
  webhook_message: { event_id: string; org_id: string; body: string; created_at: Date }
}

export type NewMessage = { eventId: string; orgId: string; body: string }

export type NewDelivery = {
  deliveryId: string
  eventId: string
  endpointId: string
  orgId: string
  eventType: string
  cause: string
}

export type DeliveryFilter = {
  orgId: string
  endpointId: string | undefined
  status: DeliveryStatus | undefined
  eventType: string | undefined
}

export type DeliveryDetail = Delivery & { body: string; attempts: readonly Attempt[] }

const MESSAGE_COLUMNS = { event_id: 'text', org_id: 'text', body: 'text' }
const PENDING_COLUMNS = {
  delivery_id: 'text',
  event_id: 'text',
  endpoint_id: 'text',
  org_id: 'text',
  event_type: 'text',
  cause: 'text',
}

/** The delivery log. */
export function createDeliveryStore(db: Db) {
  const q = db.withTables<DeliveryTables>()
  const logged = () =>
    q.selectFrom('webhook_delivery as d').leftJoin('webhook_due as w', 'w.seq', 'd.seq')
  return {
    /** Idempotent: the first body written for an event stays. */
    async insertMessages(messages: readonly NewMessage[], now: Date): Promise<void> {
      const rows = messages.map(({ eventId, orgId, body }) => ({
        event_id: eventId,
        org_id: orgId,
        body,
      }))
      await sql`insert into webhook_message (event_id, org_id, body, created_at)
        select event_id, org_id, body, ${now}
        from ${rowsOf(MESSAGE_COLUMNS, rows)} as r
        on conflict (event_id) do nothing`.execute(q)
    },

    /**
     * Inserts deliveries that are due now, except those that exist for the same cause; returns how
     * many.
     */
    async insertPending(deliveries: readonly NewDelivery[], now: Date): Promise<number> {
      const rows = deliveries.map((one) => ({
        delivery_id: one.deliveryId,
        event_id: one.eventId,
        endpoint_id: one.endpointId,
        org_id: one.orgId,
        event_type: one.eventType,
        cause: one.cause,
      }))
      const inserted = await sql`
        with inserted as (
          insert into webhook_delivery (delivery_id, event_id, endpoint_id, org_id, event_type,
            cause, status, created_at, updated_at)
          select delivery_id, event_id, endpoint_id, org_id, event_type, cause,
            'pending', ${now}, ${now}
          from ${rowsOf(PENDING_COLUMNS, rows)} as r
          on conflict (event_id, endpoint_id, cause) do nothing
          returning seq, delivery_id, endpoint_id
        )
        insert into webhook_due (seq, delivery_id, endpoint_id, due_at)
        select seq, delivery_id, endpoint_id, ${now} from inserted`.execute(q)
      return Number(inserted.numAffectedRows ?? 0)
    },

    /** Inserts a delivery that was attempted synchronously and is finished. */
    async insertTried(
      delivery: NewDelivery,
      outcome: { status: 'delivered' | 'failed'; attempt: Attempt },
      now: Date,
    ): Promise<void> {
      const { status, attempt } = outcome
      await q
        .insertInto('webhook_delivery')
        .values({
          delivery_id: delivery.deliveryId,
          seq: sql`default`,
          event_id: delivery.eventId,
          endpoint_id: delivery.endpointId,
          org_id: delivery.orgId,
          event_type: delivery.eventType,
          cause: delivery.cause,
          status,
          attempt_count: 1,
          attempts: sql`${JSON.stringify([attempt])}::jsonb`,
          last_response_status: attempt.status,
          last_error: attempt.error,
          latency_ms: attempt.latency_ms,
          created_at: now,
          updated_at: now,
        })
        .execute()
    },

    /** Newest first. */
    async list(filter: DeliveryFilter, page: PageRequest, now: Date): Promise<Page<Delivery>> {
      const { orgId, endpointId, status, eventType } = filter
      let matching = logged().where('d.org_id', '=', orgId)
      if (endpointId !== undefined) matching = matching.where('d.endpoint_id', '=', endpointId)
      if (status !== undefined) matching = matching.where(isOfStatus(status, now))
      if (eventType !== undefined) matching = matching.where('d.event_type', '=', eventType)
      const counted = await matching
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      const rows = await matching
        .selectAll('d')
        .select(dueColumns(now))
        .orderBy('d.created_at', 'desc')
        .orderBy('d.delivery_id')
        .limit(page.perPage)
        .offset(offsetOf(page))
        .execute()
      return { ...page, items: rows.map(toValue), total: counted.total }
    },

    async find(orgId: string, deliveryId: string, now: Date): Promise<DeliveryDetail | undefined> {
      const row = await logged()
        .innerJoin('webhook_message as m', 'm.event_id', 'd.event_id')
        .selectAll('d')
        .select(dueColumns(now))
        .select('m.body')
        .where('d.delivery_id', '=', deliveryId)
        .where('d.org_id', '=', orgId)
        .executeTakeFirst()
      return row && { ...toValue(row), body: row.body, attempts: row.attempts }
    },

    /**
     * Fails the unleased deliveries of a disabled endpoint; a worker settles those it has leased.
     */
    async abandon(endpointId: string, error: string, now: Date): Promise<void> {
      await sql`
        with dropped as (
          delete from webhook_due where endpoint_id = ${endpointId} and leased_until <= ${now}
          returning delivery_id
        )
        update webhook_delivery d set status = 'failed', last_error = ${error}, updated_at = ${now}
        from dropped where d.delivery_id = dropped.delivery_id`.execute(q)
    },

    async deleteOfEndpoint(orgId: string, endpointId: string): Promise<void> {
      await q.deleteFrom('webhook_due').where('endpoint_id', '=', endpointId).execute()
      await q.deleteFrom('webhook_lane').where('endpoint_id', '=', endpointId).execute()
      await q
        .deleteFrom('webhook_delivery')
        // There is an index on org_id, but none that covers all deliveries of an endpoint.
        .where('org_id', '=', orgId)
        .where('endpoint_id', '=', endpointId)
        .execute()
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await sql`
        with deleted as (
          delete from webhook_delivery where org_id = ${orgId} returning seq, endpoint_id
        ), freed as (
          delete from webhook_lane where endpoint_id in (select endpoint_id from deleted)
        )
        delete from webhook_due w using deleted where w.seq = deleted.seq`.execute(q)
      await q.deleteFrom('webhook_message').where('org_id', '=', orgId).execute()
    },

    async deleteBefore(time: Date, rowsMax: number): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        with deleted as (
          delete from webhook_delivery where delivery_id in (
            select delivery_id from webhook_delivery where created_at < ${time} limit ${rowsMax})
          returning seq
        ), dropped as (delete from webhook_due w using deleted where w.seq = deleted.seq)
        select count(*) as n from deleted`.execute(q)
      return rows[0]?.n ?? 0
    },

    /** Keeps a message while any delivery refers to it. */
    async deleteMessagesBefore(time: Date, rowsMax: number): Promise<number> {
      const deleted = await sql`delete from webhook_message where event_id in (
        select m.event_id from webhook_message m where m.created_at < ${time}
          and not exists (select 1 from webhook_delivery d where d.event_id = m.event_id)
        limit ${rowsMax})`.execute(q)
      return Number(deleted.numAffectedRows ?? 0)
    },
  }
}

/** Leased by a worker whose lease has not expired. */
const isTaken = (now: Date) => sql<boolean>`coalesce(w.leased_until > ${now}, false)`

const dueColumns = (now: Date) => [
  sql<Date | null>`w.due_at`.as('next_due_at'),
  isTaken(now).as('is_taken'),
]

function isOfStatus(status: DeliveryStatus, now: Date) {
  if (status === 'delivering') return isTaken(now)
  const isWritten = sql<boolean>`d.status = ${status}`
  return isFinished({ status }) ? isWritten : sql<boolean>`${isWritten} and not ${isTaken(now)}`
}

function toValue(row: LogRow): Delivery {
  return {
    deliveryId: row.delivery_id,
    eventId: row.event_id,
    endpointId: row.endpoint_id,
    eventType: row.event_type,
    status: row.is_taken ? 'delivering' : row.status,
    attemptCount: row.attempt_count,
    lastResponseStatus: row.last_response_status,
    lastError: row.last_error,
    latencyMs: row.latency_ms,
    nextAttemptAt: row.is_taken ? null : row.next_due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
