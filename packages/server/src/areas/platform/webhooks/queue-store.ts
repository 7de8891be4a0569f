import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { rowsOf } from '../../../kernel/rows.ts'
import type { Attempt } from './delivery.ts'
import { type SealedSecrets, toSealedSecrets } from './store.ts'

/** A delivery that this worker has, for as long as its lease. */
export type Claimed = {
  deliveryId: string
  claim: string
  eventId: string
  endpointId: string
  eventType: string
  attemptCount: number
  claimedAt: Date
  body: string
  url: string
  isActive: boolean
  secrets: SealedSecrets
}

export type Outcome = {
  deliveryId: string
  claim: string
  status: 'delivered' | 'retrying' | 'failed' | 'pending'
  /** Null when nothing was sent. */
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
  delivery_id: string
  event_id: string
  endpoint_id: string
  event_type: string
  attempt_count: number
  body: string
  url: string
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
  ...{ delivery_id: 'text', claim: 'text', status: 'text', attempts: 'jsonb', tried: 'boolean' },
  ...{ response_status: 'integer', latency_ms: 'integer', error: 'text', due_at: 'timestamptz' },
}

/** The queue: what workers take from it and put back. */
export function createQueueStore(db: Db) {
  return {
    /**
     * One worker takes at a time, else two could each see room for the same endpoint. Nobody waits
     * for the disk: what a crash of the database takes back is sent again, never lost. And no plan
     * that was made while the queue was empty may read all of it once it is full.
     */
    async lock(): Promise<void> {
      await sql`select set_config('synchronous_commit', 'off', true),
        set_config('enable_seqscan', 'off', true),
        set_config('enable_hashjoin', 'off', true),
        set_config('enable_mergejoin', 'off', true),
        pg_advisory_xact_lock(hashtextextended('webhook_delivery', 0))`.execute(db)
    },

    /**
     * Takes what is due, oldest first. An endpoint is served by one worker at a time, which has at
     * most `perEndpoint` of it. Endpoints are walked by skipping through the index, so that the
     * backlog of one costs the others nothing.
     */
    async claim(take: {
      node: string
      now: Date
      leaseUntil: Date
      perEndpoint: number
      limit: number
    }): Promise<Claimed[]> {
      const { node, now } = take
      // Another one for each time, so that a worker that lost its lease cannot settle for itself.
      const claim = `${node} ${randomUUID()}`
      const { rows } = await sql<ClaimedRow>`
        with recursive open_endpoint as (
          (select endpoint_id from webhook_delivery where due_at is not null
            order by endpoint_id limit 1)
          union all
          select (select d.endpoint_id from webhook_delivery d
            where d.due_at is not null and d.endpoint_id > o.endpoint_id
            order by d.endpoint_id limit 1)
          from open_endpoint o where o.endpoint_id is not null
        ), chosen as materialized (
          select due.delivery_id from open_endpoint o
          cross join lateral (
            select count(*)::integer as n,
              count(*) filter (where not starts_with(b.claim, ${node})) as elsewhere
            from webhook_delivery b
            where b.endpoint_id = o.endpoint_id and b.status = 'delivering' and b.due_at > ${now}
          ) busy
          cross join lateral (
            select d.delivery_id, d.due_at, d.seq from webhook_delivery d
            where d.endpoint_id = o.endpoint_id and d.due_at <= ${now}
            order by d.due_at, d.seq limit case when busy.elsewhere > 0 then 0
              else greatest(0, ${take.perEndpoint}::integer - busy.n) end
            for update skip locked
          ) due
          -- What was written while its endpoint was deleted must not take the place of others.
          where exists (select 1 from webhook_endpoint e where e.endpoint_id = o.endpoint_id)
          order by due.due_at, due.seq limit ${take.limit}
        )
        update webhook_delivery d
        set status = 'delivering', claim = ${claim}, due_at = ${take.leaseUntil},
          updated_at = ${now}
        from chosen, webhook_endpoint e, webhook_message m
        where d.delivery_id = chosen.delivery_id and e.endpoint_id = d.endpoint_id
          and m.event_id = d.event_id
        returning d.delivery_id, d.event_id, d.endpoint_id, d.event_type, d.attempt_count, m.body,
          e.url, e.is_active, e.secret_sealed, e.previous_secret_sealed, e.previous_secret_until
      `.execute(db)
      return rows.map((row) => toClaimed(row, { claim, claimedAt: now }))
    },

    /** Only while the claim holds: a lease that ran out belongs to another worker. */
    async settle(outcomes: readonly Outcome[], now: Date): Promise<Settled[]> {
      const rows = outcomes.map((one) => ({
        delivery_id: one.deliveryId,
        claim: one.claim,
        status: one.status,
        attempts: one.attempt === null ? [] : [one.attempt],
        tried: one.attempt !== null,
        response_status: one.attempt?.status ?? null,
        latency_ms: one.attempt?.latency_ms ?? null,
        error: one.error,
        due_at: one.dueAt,
      }))
      const settled = await sql<SettledRow>`
        update webhook_delivery d
        set status = r.status, due_at = r.due_at, claim = null, updated_at = ${now},
          attempts = d.attempts || r.attempts,
          last_error = case when r.status = 'delivered' then null
            else coalesce(r.error, d.last_error) end,
          attempt_count = d.attempt_count + r.tried::integer,
          last_response_status = case when r.tried then r.response_status
            else d.last_response_status end,
          latency_ms = case when r.tried then r.latency_ms else d.latency_ms end
        from ${rowsOf(OUTCOME_COLUMNS, rows)} as r
        where d.delivery_id = r.delivery_id and d.claim = r.claim
        returning d.endpoint_id, d.status, r.tried`.execute(db)
      return settled.rows.map(({ endpoint_id, status, tried }) => ({
        endpointId: endpoint_id,
        status,
        tried,
      }))
    },

    async depth(): Promise<number> {
      const { rows } = await sql<{ depth: number }>`select count(*) as depth
        from webhook_delivery where due_at is not null`.execute(db)
      return rows[0]?.depth ?? 0
    },
  }
}

function toClaimed(row: ClaimedRow, taken: { claim: string; claimedAt: Date }): Claimed {
  return {
    ...taken,
    deliveryId: row.delivery_id,
    eventId: row.event_id,
    endpointId: row.endpoint_id,
    eventType: row.event_type,
    attemptCount: row.attempt_count,
    body: row.body,
    url: row.url,
    isActive: row.is_active,
    secrets: toSealedSecrets(row),
  }
}
