import { type CounterState, type Reservation, takeCounts } from '@touchstone/protocol/policy'
import type { RawBuilder } from 'kysely'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import type { DecisionRecord } from './decision-record.ts'
import type { Agents, Opening } from './ports.ts'
import {
  type CounterDemand,
  counterOf,
  createSessionCounterStore,
  isExceeded,
  stateKey,
  takeStatement,
} from './session-counter-store.ts'

/** A decision and the counts that its call takes if it is let through. */
export type CountedDecision = {
  record: DecisionRecord
  reservations: readonly Reservation[]
  /** The escalation that it opens if it is escalated. */
  opening?: Opening | undefined
}

/** Counts that could not be taken, so the decision was not stored. */
export type Exceeded = { exceeded: readonly Reservation[] }

const FULL_MAX = 10_000

export type SessionCounterDeps = {
  db: Db
  groupCommitDb: Db
  clock: Clock
  agents: Pick<Agents, 'selectExisting'>
}

/**
 * Takes the counts of calls in the transaction that stores their decisions, so that limits are exact
 * over all nodes (ADR 0033).
 */
export function createSessionCounters(deps: SessionCounterDeps) {
  const { db, groupCommitDb, clock, agents } = deps
  // A counter of a window never falls, so a full one needs no further look.
  const full = createCache<number>({ clock, entriesMax: FULL_MAX, ttlMs: MINUTE_MS })

  /** One statement stores and counts; it aborts if any limit is exceeded. */
  const storeAll = async <Stored>(
    items: readonly CountedDecision[],
    store: (
      db: Db,
      items: readonly CountedDecision[],
      counting: RawBuilder<unknown>,
    ) => Promise<Stored>,
  ): Promise<Stored | undefined> => {
    if (items.some(({ reservations }) => reservations.some(isSliding))) return undefined
    try {
      return await store(db, items, takeStatement(demandsOf(items)))
    } catch (err) {
      if (isExceeded(err)) return undefined
      throw err
    }
  }

  return {
    /** The counts that are known to be exceeded without asking the database. */
    knownExceeded({ record, reservations }: CountedDecision): readonly Reservation[] {
      return reservations.filter((of) => {
        const used = full.get(stateKey({ agentId: record.agentId, counter: counterOf(of) }))
        return !of.sliding && of.max !== null && used !== undefined && used >= of.max
      })
    },

    /**
     * Stores the decisions whose counts can be taken. `store` returns one result per decision; the
     * others resolve as exceeded.
     */
    async store<Result>(
      items: readonly CountedDecision[],
      store: (
        db: Db,
        items: readonly CountedDecision[],
        counting?: RawBuilder<unknown>,
      ) => Promise<readonly Result[]>,
    ): Promise<(Result | Exceeded)[]> {
      const all = await storeAll(items, store)
      if (all !== undefined) return [...all]
      return transact(groupCommitDb, async (tx) => {
        const counters = createSessionCounterStore(tx)
        const demands = demandsOf(items)
        const states = await counters.lock(demands, agents.selectExisting)
        const taken = takeCounts(items.map(toKeyed), states, clock.now().getTime())
        const exceeded = taken.exceeded.map((over, at) => ownReservations(items[at], over))
        await counters.update(
          demands.flatMap((demand) => {
            const state = taken.states.get(stateKey(demand))
            return state === undefined ? [] : [{ ...demand, state }]
          }),
        )
        rememberFull(taken.exceeded.flat(), (key) => taken.states.get(key) ?? states.get(key))
        const kept = items.filter((_, at) => exceeded[at]?.length === 0)
        const stored = kept.length === 0 ? [] : await store(tx, kept)
        const results = stored.values()
        return exceeded.map((over): Result | Exceeded => {
          if (over.length > 0) return { exceeded: over }
          const next = results.next()
          if (next.done === true) throw new Error('a stored decision has no result')
          return next.value
        })
      })
    },

    /** The agents with counts of these decisions that another transaction has locked. */
    async lockedAmong(items: readonly CountedDecision[]): Promise<string[]> {
      const demands = demandsOf(items)
      return demands.length === 0 ? [] : createSessionCounterStore(db).lockedAmong(demands)
    },

    /** The states of counters by their keys; a counter without a row is left out. */
    async find(
      { orgId, agentId }: { orgId: string; agentId: string },
      keys: readonly string[],
    ): Promise<ReadonlyMap<string, CounterState>> {
      const ids = keys.map((key) => ({ orgId, agentId, counter: counterOf({ key }) }))
      const found = await createSessionCounterStore(db).find(ids)
      return new Map(
        keys.flatMap((key) => {
          const state = found.get(stateKey({ agentId, counter: counterOf({ key }) }))
          return state === undefined ? [] : [[key, state] as const]
        }),
      )
    },

    purge: (now: Date): Promise<number> =>
      purgeInPages((rowsMax) => createSessionCounterStore(db).deleteExpired(now, rowsMax)),

    eraseAgent: (tx: Db, agentId: AgentId): Promise<void> =>
      createSessionCounterStore(tx).deleteOfAgent(agentId),

    eraseOrg: (tx: Db, orgId: OrgId): Promise<void> =>
      createSessionCounterStore(tx).deleteOfOrg(orgId),
  }

  function rememberFull(
    over: readonly Reservation[],
    stateOf: (key: string) => CounterState | undefined,
  ): void {
    for (const { key, sliding } of over) {
      const state = stateOf(key)
      if (!sliding && state !== undefined) full.set(key, state.used)
    }
  }
}

export type SessionCounters = ReturnType<typeof createSessionCounters>

/** Marks of flows are not counted by minute, even without a session. */
function isSliding({ sliding, max }: Reservation): boolean {
  return sliding && max !== null
}

/** The reservations with keys that are unique over all agents. */
function toKeyed({ record: { agentId }, reservations }: CountedDecision): Reservation[] {
  return reservations.map((of) => ({ ...of, key: stateKey({ agentId, counter: counterOf(of) }) }))
}

function ownReservations(
  item: CountedDecision | undefined,
  keyed: readonly Reservation[],
): Reservation[] {
  if (item === undefined) return []
  const keys = new Set(keyed.map(({ key }) => key))
  const { agentId } = item.record
  return item.reservations.filter((of) => keys.has(stateKey({ agentId, counter: counterOf(of) })))
}

/** One demand per counter. Of different limits for one counter the lowest decides. */
function demandsOf(items: readonly CountedDecision[]): CounterDemand[] {
  const demands = new Map<string, CounterDemand>()
  for (const { record, reservations } of items) {
    const { orgId, agentId } = record
    for (const of of reservations) {
      const counter = counterOf(of)
      const key = stateKey({ agentId, counter })
      const known = demands.get(key)
      if (known === undefined) {
        const { max, expiresAtMs } = of
        demands.set(key, { orgId, agentId, counter, count: 1, max, expiresAtMs })
        continue
      }
      known.count += 1
      known.max = lowest(known.max, of.max)
      known.expiresAtMs = Math.max(known.expiresAtMs, of.expiresAtMs)
    }
  }
  return [...demands.values()]
}

function lowest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.min(a, b)
}
