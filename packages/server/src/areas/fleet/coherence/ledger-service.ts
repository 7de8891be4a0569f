import { type Clock, DAY_MS, HOUR_MS, later } from '../../../kernel/clock.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { createAcrossStore } from './across-store.ts'
import { COUNTED_DAYS, type PairRecord, type PairTable, pairTable, sidesOf } from './pair-record.ts'
import type { Agents } from './ports.ts'
import { createCoherenceStore, type PeerScore, type Times } from './store.ts'

/** An unchanged record is refreshed at most this often; the 90-day window needs no finer steps. */
const RENEWED_MS = HOUR_MS

/** Superseded records are kept longer than any published score can refer to them. */
const PAST_KEPT_MS = 7 * DAY_MS
const KEPT_MS = (COUNTED_DAYS + 7) * DAY_MS

/** Peers read to find enough public ones. */
const LOWEST_READ_MAX = 200

export type LedgerDeps = { db: Db; clock: Clock; agents: Agents }

export type Ledger = ReturnType<typeof createLedger>

/**
 * The latest pair scores. Agents of one organisation have one record per pair, which counts for
 * both. Of agents of two organisations, each has a record of what its own organisation found, so
 * that strangers cannot change its score (spec: fleet §1.4).
 */
export function createLedger(deps: LedgerDeps) {
  const store = createCoherenceStore(deps.db)
  return {
    /**
     * Records all pairs of some agents in the transaction of the comparison. Skips agents that were
     * erased meanwhile, and pairs in which the organisation that asked has no agent.
     */
    async record(tx: Db, pairs: readonly PairRecord[], asking: { orgId: string }): Promise<void> {
      const all = pairTable(pairs)
      const locked = await deps.agents.describe(tx, all.agentIds)
      const existing = new Set(locked.map(({ agentId }) => agentId))
      const found = locked.filter(({ orgId }) => orgId === asking.orgId)
      const own = new Set(found.map(({ agentId }) => agentId))
      const table =
        own.size === all.agentIds.length
          ? all
          : pairTable(pairs.filter(({ agentA, agentB }) => own.has(agentA) && own.has(agentB)))
      const now = deps.clock.now()
      if (table.scores.length > 0) await writePairs(tx, table, now)
      const across = sidesOf(
        pairs.filter(({ agentA, agentB }) => existing.has(agentA) && existing.has(agentB)),
        own,
      )
      if (across.length === 0) return
      await createAcrossStore(tx).upsert(asking.orgId, across, timesOf(now))
    },

    peersOf: (db: Db, agentIds: readonly string[], now: Date) =>
      createCoherenceStore(db).sums(agentIds, later(now, -COUNTED_DAYS * DAY_MS)),

    /** The pair scores that a score computed at that time used. The id of a private peer is null. */
    async usedAt(agentId: string, at: Date): Promise<PeerScore[]> {
      const used = await store.usedAt(countedAt(agentId, at))
      const shown = await shownAmong(deps, used)
      return used.map((one) =>
        one.peerId === null || shown.has(one.peerId) ? one : { ...one, peerId: null },
      )
    },

    async lowestPeers(agentId: string, at: Date, idsMax: number): Promise<string[]> {
      const lowest = await store.lowestAt(countedAt(agentId, at), LOWEST_READ_MAX)
      const shown = await shownAmong(deps, lowest)
      return lowest
        .flatMap(({ peerId }) => (peerId !== null && shown.has(peerId) ? [peerId] : []))
        .slice(0, idsMax)
    },

    /** Called when an agent is erased. */
    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createCoherenceStore(tx).eraseAgent(agentId, deps.clock.now())
      await createAcrossStore(tx).eraseAgent(agentId, deps.clock.now())
    },

    async purge(now: Date): Promise<number> {
      const checkedBy = later(now, -KEPT_MS)
      const supersededBy = later(now, -PAST_KEPT_MS)
      const old = await purgeInPages((rowsMax) =>
        transact(deps.db, (tx) => createCoherenceStore(tx).deleteCheckedBefore(checkedBy, rowsMax)),
      )
      const across = await purgeInPages((rowsMax) =>
        transact(deps.db, (tx) => createAcrossStore(tx).deleteCheckedBefore(checkedBy, rowsMax)),
      )
      const past = await purgeInPages((rowsMax) =>
        transact(deps.db, (tx) =>
          createCoherenceStore(tx).deleteSupersededBefore(supersededBy, rowsMax),
        ),
      )
      return old + across + past
    },
  }
}

function countedAt(agentId: string, at: Date) {
  return { agentId, at, since: later(at, -COUNTED_DAYS * DAY_MS) }
}

/** The ids of the peers that anybody may see. */
async function shownAmong(deps: LedgerDeps, peers: readonly PeerScore[]): Promise<Set<string>> {
  const peerIds = peers.flatMap(({ peerId }) => peerId ?? [])
  const facts = await deps.agents.listFacts(deps.db, peerIds)
  const shown = facts.filter(({ visibility, archived }) => visibility !== 'private' && !archived)
  return new Set(shown.map(({ agentId }) => agentId))
}

/** Tries a plain insert first: a new fleet has thousands of pairs, none of them recorded yet. */
async function writePairs(tx: Db, table: PairTable, now: Date): Promise<void> {
  const store = createCoherenceStore(tx)
  if (table.scores.includes(null)) throw new Error('every agent must be compared with all others')
  if (!(await store.hasAny(table.agentIds)) && (await store.insert(table, now))) return
  await store.upsert(table, timesOf(now))
}

function timesOf(now: Date): Times {
  return {
    now,
    renewBefore: later(now, -RENEWED_MS),
    countedSince: later(now, -COUNTED_DAYS * DAY_MS),
  }
}
