import type { LayerName, PolicyRules, TransactionStatus } from '@touchstone/protocol/policy'
import { createSharedCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { Teams } from './ports.ts'
import { createTransactionStore } from './store.ts'
import { layersOf } from './team-layers.ts'
import { statusOf, type TransactionWithPolicy } from './transaction.ts'

/** Notifies all nodes of a change, so that they invalidate their caches. */
const TOPIC = 'transaction'

const CACHED_MAX = 5000
/** Total length of the cached policies as text: one may be as large as a request body. */
const CACHED_CHARACTERS_MAX = 32 * 2 ** 20

export type CallTransactionDeps = {
  db: Db
  clock: Clock
  notices: Notices
  teams: Teams
}

/** The transaction that a call names. */
export type CallTransaction = {
  transactionId: string
  actionType: string
  status: TransactionStatus
  tools: readonly string[]
  /** Policies of its teams by team id, then its own; without those of organisation and agent. */
  layers: readonly PolicyRules[]
  /** By which reports name the limits and flows of the layers. */
  layerNames: readonly LayerName[]
}

/**
 * Transactions for calls that name them, cached until a change. Only data whose changes invalidate
 * the cache is cached: the status depends on the clock, and team policies are read for each call.
 */
export function createCallTransactions({ db, clock, notices, teams }: CallTransactionDeps) {
  const cache = createSharedCache<TransactionWithPolicy>({
    clock,
    notices,
    topic: TOPIC,
    entriesMax: CACHED_MAX,
    ttlMs: MINUTE_MS,
    weight: { of: charactersOf, max: CACHED_CHARACTERS_MAX },
  })

  const load = (transactionId: string): Promise<TransactionWithPolicy | undefined> =>
    cache.load(transactionId, () => createTransactionStore(db).findWithPolicy(transactionId))

  return {
    /** Returns undefined for an unknown transaction, and for another agent's or organisation's. */
    async find(
      orgId: string,
      agentId: string,
      transactionId: string,
    ): Promise<CallTransaction | undefined> {
      const found = cache.get(transactionId) ?? (await load(transactionId))
      if (found === undefined || found.orgId !== orgId || found.agentId !== agentId) {
        return undefined
      }
      const { actionType, tools, teamIds } = found
      const teamLayers = teamIds.length === 0 ? [] : await teams.layersOf(db, found)
      const status = statusOf(found, clock.now())
      return { transactionId, actionType, status, tools, ...layersOf(found, teamLayers) }
    },

    invalidate: cache.invalidate,
    invalidateAll: cache.invalidateAll,
    evict: cache.evict,
  }
}

function charactersOf({ policy }: TransactionWithPolicy): number {
  return policy === undefined ? 0 : JSON.stringify(policy).length
}
