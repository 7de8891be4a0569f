import { createHash } from 'node:crypto'
import type { CounterState, Reservation } from '@touchstone/protocol/policy'
import { type RawBuilder, sql } from 'kysely'
import { type Db, sqlState } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import { namesOf, rowsOf } from '../../../postgres/rows.ts'

/** A counter of an agent. */
export type CounterId = { orgId: string; agentId: string; counter: string }

/** The counts that a batch takes from one counter. */
export type CounterDemand = CounterId & { count: number; max: number | null; expiresAtMs: number }

type SelectExisting = (agentIds: readonly string[]) => RawBuilder<{ agent_id: string }>

const DEMAND_COLUMNS = {
  org_id: 'text',
  agent_id: 'text',
  counter: 'hex',
  used: 'integer',
  most: 'integer',
  expires_at: 'timestamptz',
}
const STATE_COLUMNS = {
  org_id: 'text',
  agent_id: 'text',
  counter: 'hex',
  used: 'integer',
  minutes: 'jsonb',
  expires_at: 'timestamptz',
}
const KEY_COLUMNS = { org_id: 'text', agent_id: 'text', counter: 'hex' }

const INTEGER_MAX = 2_147_483_647
const COUNTER_BYTES = 16

/** Counters of calls that were decided lately; most calls of a session use the same ones. */
const known = new Map<string, string>()
const KNOWN_MAX = 10_000

/** The column `counter` in hex. */
export function counterOf({ key }: Pick<Reservation, 'key'>): string {
  const found = known.get(key)
  if (found !== undefined) return found
  const digest = createHash('sha256').update(key).digest()
  const counter = digest.toString('hex', 0, COUNTER_BYTES)
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(key, counter)
  return counter
}

/**
 * Counts in the statement that stores the decisions, which must have the subquery `existing`; it fails
 * with `isExceeded` if a limit is exceeded. Rows are locked in the order of their keys, after the agents,
 * so that concurrent batches do not deadlock.
 */
export function takeStatement(demands: readonly CounterDemand[]): RawBuilder<unknown> {
  const rows = demands.map((demand) => ({
    org_id: demand.orgId,
    agent_id: demand.agentId,
    counter: demand.counter,
    used: demand.count,
    most: demand.max ?? INTEGER_MAX,
    expires_at: new Date(demand.expiresAtMs),
  }))
  return sql`insert into session_counter as c (${namesOf(DEMAND_COLUMNS)})
    select w.org_id, w.agent_id, w.counter, w.used, w.most, w.expires_at
    from ${rowsOf(DEMAND_COLUMNS, rows)} as w join existing using (agent_id)
    order by w.org_id, w.agent_id, w.counter
    on conflict (org_id, agent_id, counter) do update set
      used = c.used + excluded.used, most = excluded.most,
      expires_at = greatest(c.expires_at, excluded.expires_at)`
}

const CHECK_VIOLATION = '23514'

export function isExceeded(err: unknown): boolean {
  return sqlState(err) === CHECK_VIOLATION
}

type CounterRow = {
  org_id: string
  agent_id: string
  counter: Buffer
  used: number
  minutes: Record<string, number>
  expires_at: Date
}

export function createSessionCounterStore(db: Db) {
  return {
    /**
     * Creates the counters that do not exist, locks all of them until commit and returns their states.
     * Counters of erased agents are left out.
     */
    async lock(
      ids: readonly (CounterId & { expiresAtMs: number })[],
      selectExisting: SelectExisting,
    ): Promise<ReadonlyMap<string, CounterState>> {
      const agentIds = [...new Set(ids.map(({ agentId }) => agentId))]
      const rows = ids.map((id) => ({
        ...toKey(id),
        used: 0,
        most: 0,
        expires_at: new Date(id.expiresAtMs),
      }))
      const found = await sql<CounterRow>`
        with existing as materialized (${selectExisting(agentIds)})
        insert into session_counter as c (${namesOf(DEMAND_COLUMNS)})
        select w.org_id, w.agent_id, w.counter, w.used, w.most, w.expires_at
        from ${rowsOf(DEMAND_COLUMNS, rows)} as w join existing using (agent_id)
        order by w.org_id, w.agent_id, w.counter
        on conflict (org_id, agent_id, counter) do update set used = c.used
        returning *`.execute(db)
      return toStates(found.rows)
    },

    /** The agents with counters among these that another transaction has locked. */
    async lockedAmong(ids: readonly CounterId[]): Promise<string[]> {
      const found = await sql<{ agent_id: string }>`
        with wanted as materialized (select * from ${rowsOf(KEY_COLUMNS, ids.map(toKey))} as w),
        free as materialized (
          select c.org_id, c.agent_id, c.counter from session_counter c
          join wanted using (org_id, agent_id, counter) for update of c skip locked)
        select distinct c.agent_id from session_counter c
        join wanted using (org_id, agent_id, counter)
        where (c.org_id, c.agent_id, c.counter) not in (
          select org_id, agent_id, counter from free)`.execute(db)
      return found.rows.map((row) => row.agent_id)
    },

    /** Writes the states of locked counters. */
    async update(states: readonly (CounterId & { state: CounterState })[]): Promise<void> {
      if (states.length === 0) return
      const rows = states.map(({ state, ...id }) => ({
        ...toKey(id),
        used: state.used,
        minutes: state.minutes,
        expires_at: new Date(state.expiresAtMs),
      }))
      await sql`update session_counter c
        set used = w.used, most = greatest(c.most, w.used), minutes = w.minutes,
          expires_at = w.expires_at
        from ${rowsOf(STATE_COLUMNS, rows)} as w
        where c.org_id = w.org_id and c.agent_id = w.agent_id and c.counter = w.counter`.execute(db)
    },

    async find(ids: readonly CounterId[]): Promise<ReadonlyMap<string, CounterState>> {
      const found = await sql<CounterRow>`select c.* from session_counter c
        join ${rowsOf(KEY_COLUMNS, ids.map(toKey))} as w using (org_id, agent_id, counter)
      `.execute(db)
      return toStates(found.rows)
    },

    async deleteExpired(before: Date, rowsMax: number): Promise<number> {
      const deleted = await sql`delete from session_counter
        where (org_id, agent_id, counter) in (
          select org_id, agent_id, counter from session_counter where expires_at < ${before}
          limit ${rowsMax} for update skip locked)`.execute(db)
      return Number(deleted.numAffectedRows ?? 0)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await sql`delete from session_counter where agent_id = ${agentId}`.execute(db)
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await sql`delete from session_counter where org_id = ${orgId}`.execute(db)
    },
  }
}

/** The key of a counter in maps of states. */
export function stateKey({ agentId, counter }: Pick<CounterId, 'agentId' | 'counter'>): string {
  return `${agentId} ${counter}`
}

function toKey({ orgId, agentId, counter }: CounterId) {
  return { org_id: orgId, agent_id: agentId, counter }
}

function toStates(rows: readonly CounterRow[]): ReadonlyMap<string, CounterState> {
  return new Map(
    rows.map((row) => [
      stateKey({ agentId: row.agent_id, counter: row.counter.toString('hex') }),
      { used: row.used, minutes: row.minutes, expiresAtMs: row.expires_at.getTime() },
    ]),
  )
}
