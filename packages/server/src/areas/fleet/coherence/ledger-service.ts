import { type Clock, DAY_MS, HOUR_MS, later } from '../../../kernel/clock.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { COUNTED_DAYS, type PairRecord, type PairTable, pairTable } from './pair-record.ts'
import type { Agents } from './ports.ts'
import { createCoherenceStore, type PeerScore } from './store.ts'

/** What says the same is not written again sooner: 90 days are not counted more finely. */
const RENEWED_MS = HOUR_MS

/** Longer than any score that workers still compute rests on what gave way. */
const PAST_KEPT_MS = 7 * DAY_MS
const KEPT_MS = (COUNTED_DAYS + 7) * DAY_MS

/** Peers looked at to find the few that everybody may know. */
const LOWEST_READ_MAX = 200

export type LedgerDeps = { db: Db; clock: Clock; agents: Agents }

export type Ledger = ReturnType<typeof createLedger>

/** Pair scores as they were last seen: one record per pair, whoever compared the two. */
export function createLedger(deps: LedgerDeps) {
  return { ...writing(deps), ...reading(deps), ...ending(deps) }
}

function writing(deps: LedgerDeps) {
  return {
    /**
     * All pairs of some agents, in the transaction of whoever compared them. Agents that are gone
     * meanwhile stay gone.
     */
    async record(tx: Db, pairs: readonly PairRecord[]): Promise<void> {
      const all = pairTable(pairs)
      const held = await deps.agents.describe(tx, all.agentIds)
      const there = new Set(held.map(({ agentId }) => agentId))
      const table =
        there.size === all.agentIds.length
          ? all
          : pairTable(pairs.filter(({ agentA, agentB }) => there.has(agentA) && there.has(agentB)))
      if (table.scores.length > 0) await write(tx, table, deps.clock.now())
    },
  }
}

/** A fleet has thousands of pairs, and of a new one none is known. */
async function write(tx: Db, table: PairTable, now: Date): Promise<void> {
  const store = createCoherenceStore(tx)
  if (table.scores.includes(null)) throw new Error('agents were not compared with all others')
  if (!(await store.hasAny(table.agentIds)) && (await store.insert(table, now))) return
  await store.upsert(table, {
    now,
    renewBefore: later(now, -RENEWED_MS),
    countedSince: later(now, -COUNTED_DAYS * DAY_MS),
  })
}

function reading(deps: LedgerDeps) {
  const momentOf = (agentId: string, at: Date) => ({
    agentId,
    at,
    since: later(at, -COUNTED_DAYS * DAY_MS),
  })
  /** Those whose ids anybody may learn. */
  const shownAmong = async (peers: readonly PeerScore[]): Promise<Set<string>> => {
    const peerIds = peers.flatMap(({ peerId }) => peerId ?? [])
    const facts = await deps.agents.listFacts(deps.db, peerIds)
    const shown = facts.filter(({ visibility, archived }) => visibility !== 'private' && !archived)
    return new Set(shown.map(({ agentId }) => agentId))
  }
  return {
    peersOf: (db: Db, agentIds: readonly string[], now: Date) =>
      createCoherenceStore(db).sums(agentIds, later(now, -COUNTED_DAYS * DAY_MS)),

    /** What a score of that time was computed from. The peer is null where it is not for everybody. */
    async usedAt(agentId: string, at: Date): Promise<PeerScore[]> {
      const used = await createCoherenceStore(deps.db).usedAt(momentOf(agentId, at))
      const shown = await shownAmong(used)
      return used.map((one) =>
        one.peerId === null || shown.has(one.peerId) ? one : { ...one, peerId: null },
      )
    },

    async lowestPeers(agentId: string, at: Date, idsMax: number): Promise<string[]> {
      const moment = momentOf(agentId, at)
      const lowest = await createCoherenceStore(deps.db).lowestAt(moment, LOWEST_READ_MAX)
      const shown = await shownAmong(lowest)
      return lowest
        .flatMap(({ peerId }) => (peerId !== null && shown.has(peerId) ? [peerId] : []))
        .slice(0, idsMax)
    },
  }
}

function ending(deps: LedgerDeps) {
  return {
    /** With the agent. */
    erase: (tx: Db, agentId: AgentId): Promise<void> =>
      createCoherenceStore(tx).forget(agentId, deps.clock.now()),

    async purge(now: Date): Promise<number> {
      const checkedBy = later(now, -KEPT_MS)
      const supersededBy = later(now, -PAST_KEPT_MS)
      const old = await purgeInPages((rowsMax) =>
        transact(deps.db, (tx) => createCoherenceStore(tx).deleteCheckedBefore(checkedBy, rowsMax)),
      )
      const past = await purgeInPages((rowsMax) =>
        transact(deps.db, (tx) =>
          createCoherenceStore(tx).deleteSupersededBefore(supersededBy, rowsMax),
        ),
      )
      return old + past
    },
  }
}
