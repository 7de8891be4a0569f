import type { PolicyRules, TransactionStatus } from '@touchstone/protocol/policy'
import { createKnown } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { Teams } from './ports.ts'
import { createTransactionStore } from './store.ts'
import { layersOf } from './team-layers.ts'
import { type RuledTransaction, statusOf } from './transaction.ts'

/** Word of a change, so that no node goes on with what was. */
const TOPIC = 'transaction'

const KEPT_MAX = 5000
/** Of all their policies together, as text: each may be as large as a body can be. */
const KEPT_CHARACTERS_MAX = 32 * 2 ** 20

export type NamedDeps = {
  db: Db
  clock: Clock
  notices: Notices
  teams: Teams
}

/** A transaction as a call sees that names it. */
export type NamedTransaction = {
  transactionId: string
  actionType: string
  status: TransactionStatus
  tools: readonly string[]
  /** What narrows it beyond organisation and agent: teams by id, then its own policy. */
  layers: readonly PolicyRules[]
}

export type NamedTransactions = ReturnType<typeof createNamedTransactions>

/**
 * Transactions for calls that name them, from memory unless something changed. Only what a change
 * would tell of is kept: the status follows the clock and team policies are asked for anew.
 */
export function createNamedTransactions({ db, clock, notices, teams }: NamedDeps) {
  const known = createKnown<RuledTransaction>({
    clock,
    notices,
    topic: TOPIC,
    entriesMax: KEPT_MAX,
    ttlMs: MINUTE_MS,
    weight: { of: charactersOf, max: KEPT_CHARACTERS_MAX },
  })

  const load = (transactionId: string): Promise<RuledTransaction | undefined> =>
    known.load(transactionId, () => createTransactionStore(db).findRuled(transactionId))

  return {
    /** Nothing when it is unknown, or of another agent or organisation. */
    async find(
      orgId: string,
      agentId: string,
      transactionId: string,
    ): Promise<NamedTransaction | undefined> {
      const found = known.get(transactionId) ?? (await load(transactionId))
      if (found === undefined || found.orgId !== orgId || found.agentId !== agentId) {
        return undefined
      }
      const { actionType, tools, teamIds } = found
      const joined = teamIds.length === 0 ? [] : await teams.layersOf(db, found)
      const status = statusOf(found, clock.now())
      return { transactionId, actionType, status, tools, layers: layersOf(found, joined) }
    },

    tell: known.tell,
    tellAll: known.tellAll,
    forget: known.forget,
  }
}

function charactersOf({ policy }: RuledTransaction): number {
  return policy === undefined ? 0 : JSON.stringify(policy).length
}
