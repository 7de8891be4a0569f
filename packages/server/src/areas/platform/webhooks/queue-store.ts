import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import type { Attempt } from './delivery.ts'
import { type SealedSecrets, toSealedSecrets } from './store.ts'

/** A delivery that this worker has leased. */
export type Claimed = {
  seq: number
  deliveryId: string
  claim: string
  eventId: string
  endpointId: string
  eventType: string
  attemptCount: number
  claimedAt: Date
  body: string
  url: string
  /** Set for an endpoint of another feature, whose body is a reference to the message. */
  channel: string | null
  isActive: boolean
  secrets: SealedSecrets
}

export type Outcome = {
  claimed: Claimed
  status: 'delivered' | 'retrying' | 'failed' | 'pending'
  /** Null if nothing was sent. */
  attempt: Attempt | null
  error: string | null
  dueAt: Date | null
}

export type Settled = {
  endpointId: string
  status: Outcome['status']
  tried: boolean
}

type ClaimedRow = {
  seq: number
  delivery_id: string
  event_id: string
  endpoint_id: string
  event_type: string
  attempt_count: number
  body: string
  url: string
  channel: string | null
  is_active: boolean
  secret_sealed: string
  previous_secret_sealed: string | null
  previous_secret_until: Date | null
}

type SettledRow = {
  endpoint_id: string
  status: Outcome['status']
  tried: boolean
}

const OUTCOME_COLUMNS = {
  seq: 'bigint',
  delivery_id: 'text',
  claim: 'uuid',
  status: 'text',
  attempts: 'jsonb',
  tried: 'boolean',
  response_status: 'integer',
  latency_ms: 'integer',
  error: 'text',
  due_at: 'timestamptz',
}
const HELD_COLUMNS = { endpoint_id: 'text', n: 'integer' }

/** Number of deliveries a worker holds, by endpoint. */
export type Held = ReadonlyMap<string, number>

/** The delivery queue, from which workers claim and to which they give back. */
export function createQueueStore(db: Db) {
  return {
    /**
     * Serialises workers, because two could otherwise claim the same endpoint. Commits without
     * waiting for the disk: deliveries whose settlement a database crash loses are sent again, never
     * lost. Disables scans and joins that a plan made for an empty queue would run over a full one.
     */
    async lock(): Promise<void> {
      await sql`select set_config('synchronous_commit', 'off', true),
        set_config('enable_seqscan', 'off', true),
        set_config('enable_hashjoin', 'off', true),
        set_config('enable_mergejoin', 'off', true),
        pg_advisory_xact_lock(hashtextextended('webhook_delivery', 0))`.execute(db)
    },

    /**
     * Claims due deliveries, oldest first. One worker at a time serves an endpoint and holds at most
     * `perEndpoint` of its deliveries. A skip scan over the index finds the endpoints, so that the
     * backlog of one does not slow down the others.
     */
    async claim(take: {
      worker: string
      held: Held
      now: Date
      leaseUntil: Date
      perEndpoint: number
      limit: number
    }): Promise<Claimed[]> {
      const { worker, now, leaseUntil } = take
      // A new claim id each time, so that a worker whose lease expired cannot settle the delivery.
      const claim = randomUUID()
      const held = [...take.held].map(([endpoint_id, n]) => ({ endpoint_id, n }))
      const { rows } = await sql<ClaimedRow>`
        with recursive open_endpoint as (
          (select endpoint_id from webhook_due order by endpoint_id limit 1)
          union all
          select (select w.endpoint_id from webhook_due w where w.endpoint_id > o.endpoint_id
            order by w.endpoint_id limit 1)
          from open_endpoint o where o.endpoint_id is not null
        ), chosen as materialized (
          select due.seq, o.endpoint_id from open_endpoint o
          left join webhook_lane l on l.endpoint_id = o.endpoint_id
          left join ${rowsOf(HELD_COLUMNS, held)} as h on h.endpoint_id = o.endpoint_id
          cross join lateral (
            select w.seq, w.due_at from webhook_due w
            where w.endpoint_id = o.endpoint_id and w.due_at <= ${now}
              and w.leased_until <= ${now}
            order by w.due_at, w.seq
            limit greatest(0, ${take.perEndpoint}::integer - coalesce(h.n, 0))
            for update skip locked
          ) due
          where (l.worker is null or l.worker = ${worker} or l.leased_until <= ${now})
            -- Deliveries inserted while their endpoint was being deleted must not use up the limit.
            and exists (select 1 from webhook_endpoint e where e.endpoint_id = o.endpoint_id)
          order by due.due_at, due.seq limit ${take.limit}
        ), served as (
          insert into webhook_lane (endpoint_id, worker, leased_until)
          select distinct endpoint_id, ${worker}, ${leaseUntil}::timestamptz from chosen
          on conflict (endpoint_id)
            do update set worker = excluded.worker, leased_until = excluded.leased_until
        ), taken as (
          update webhook_due w set leased_until = ${leaseUntil}, claim = ${claim}
          from chosen where w.seq = chosen.seq
          returning w.seq, w.delivery_id
        )
        select t.seq, d.delivery_id, d.event_id, d.endpoint_id, d.event_type, d.attempt_count,
          m.body, e.url, e.channel, e.is_active, e.secret_sealed, e.previous_secret_sealed,
          e.previous_secret_until
        from taken t
        join webhook_delivery d on d.delivery_id = t.delivery_id
        join webhook_message m on m.event_id = d.event_id
        join webhook_endpoint e on e.endpoint_id = d.endpoint_id
      `.execute(db)
      return rows.map((row) => toClaimed(row, { claim, claimedAt: now }))
    },

    /** Skips deliveries whose claim changed, because another worker took over an expired lease. */
    async settle(outcomes: readonly Outcome[], now: Date): Promise<Settled[]> {
      const rows = outcomes.map((one) => ({
        seq: one.claimed.seq,
        delivery_id: one.claimed.deliveryId,
        claim: one.claimed.claim,
        status: one.status,
        attempts: one.attempt === null ? [] : [one.attempt],
        tried: one.attempt !== null,
        response_status: one.attempt?.status ?? null,
        latency_ms: one.attempt?.latency_ms ?? null,
        error: one.error,
        due_at: one.dueAt,
      }))
      const settled = await sql<SettledRow>`
        with r as materialized (select * from ${rowsOf(OUTCOME_COLUMNS, rows)} as given),
        ended as (
          delete from webhook_due w using r
          where w.seq = r.seq and w.claim = r.claim and r.due_at is null
          returning r.*
        ), again as (
          update webhook_due w set due_at = r.due_at, leased_until = '-infinity', claim = null
          from r where w.seq = r.seq and w.claim = r.claim and r.due_at is not null
          returning r.*
        )
        update webhook_delivery d
        set status = r.status, updated_at = ${now}, attempts = d.attempts || r.attempts,
          last_error = case when r.status = 'delivered' then null
            else coalesce(r.error, d.last_error) end,
          attempt_count = d.attempt_count + r.tried::integer,
          last_response_status = case when r.tried then r.response_status
            else d.last_response_status end,
          latency_ms = case when r.tried then r.latency_ms else d.latency_ms end
        from (select * from ended union all select * from again) as r
        where d.delivery_id = r.delivery_id
        returning d.endpoint_id, d.status, r.tried`.execute(db)
      return settled.rows.map(({ endpoint_id, status, tried }) => ({
        endpointId: endpoint_id,
        status,
        tried,
      }))
    },

    /**
     * Releases endpoints of which this worker holds no deliveries, so that any worker can serve
     * them.
     */
    async release(worker: string, endpointIds: readonly string[]): Promise<void> {
      await sql`delete from webhook_lane
        where worker = ${worker} and endpoint_id = any(${endpointIds})`.execute(db)
    },

    async depth(): Promise<number> {
      const { rows } = await sql<{ depth: number }>`select count(*) as depth
        from webhook_due`.execute(db)
      return rows[0]?.depth ?? 0
    },
  }
}

function toClaimed(row: ClaimedRow, taken: { claim: string; claimedAt: Date }): Claimed {
  return {
    claim: taken.claim,
    claimedAt: taken.claimedAt,
    seq: row.seq,
    deliveryId: row.delivery_id,
    eventId: row.event_id,
    endpointId: row.endpoint_id,
    eventType: row.event_type,
    attemptCount: row.attempt_count,
    body: row.body,
    url: row.url,
    channel: row.channel,
    isActive: row.is_active,
    secrets: toSealedSecrets(row),
  }
}
