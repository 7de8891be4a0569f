import type { Hex } from '@touchstone/protocol/chain'
import type { ChainNode, ChainSettings } from '../../../chain/chain-node.ts'
import { operatorHint } from '../../../chain/chain-problem.ts'
import { RpcError } from '../../../chain/json-rpc.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { NodeClient } from './node-client.ts'
import type { Mailer, Outcome, OutcomeHandlers } from './ports.ts'
import { retrying, type SendDeps, send } from './send-service.ts'
import type { OwnSigner, SignerDeps } from './signer-service.ts'
import { createRelayStore } from './store.ts'
import type { Kind, Transaction } from './transaction.ts'
import {
  confirm,
  fail,
  lookQuickly,
  resendLost,
  type WatchDeps,
  watchSent,
} from './watch-service.ts'

export type RelayerDeps = Omit<SignerDeps, 'chainId' | 'settings'> & {
  notices: Notices
  mailer: Mailer
  node: ChainNode
  settings: ChainSettings
  adminEmails: readonly string[]
  /** Identifies this process in the lease. */
  holder: string
  outcomeHandlers(): OutcomeHandlers
  onSettled(kind: Kind, outcome: Outcome['became']): void
  onBalance(wei: bigint): void
  onError(err: unknown): void
}

type RoundDeps = RelayerDeps & {
  chain: NodeClient
  signer(): Promise<OwnSigner>
  topic: string
}

/** How often mined transactions are checked for reorganisations. */
const CONFIRM_MS = 10_000
const QUEUED_AT_ONCE_MAX = 20
/** The balance the service mints on its own chain: a million ether. */
const OWN_ETHER_WEI = 10n ** 24n

/**
 * One round of the relayer: recovers lost transactions, watches sent ones and sends queued ones.
 * Rounds run one at a time within a process, and the lease limits them to one process.
 */
export function createRoundService(deps: RoundDeps) {
  const store = createRelayStore(deps.db)
  const work = createRoundWork(deps)
  let current: Promise<number> | undefined
  let trouble: string | undefined
  let seen: string | undefined
  let confirmedAt = Number.NEGATIVE_INFINITY
  let isHolder = false

  const holdsLease = async (): Promise<boolean> => {
    isHolder = await store.takeLease(leaseName(deps), deps.holder)
    return isHolder
  }

  /** Runs after each start of the chain and of this process. */
  const greet = async (own: OwnSigner): Promise<number> => {
    const instance = await deps.node.instance()
    if (instance === seen) return 0
    if (deps.node.mode === 'embedded') await deps.chain.fund(own.relayer, OWN_ETHER_WEI)
    const resent = await resendLost(work.watch, own)
    seen = instance
    return resent
  }

  const confirmSometimes = async (own: OwnSigner): Promise<number> => {
    if (!deps.node.isAwake() || performance.now() - confirmedAt < CONFIRM_MS) return 0
    confirmedAt = performance.now()
    return (await resendLost(work.watch, own)) + (await confirm(work.watch, own))
  }

  const attend = async (own: OwnSigner): Promise<number> => {
    const returned = await retrying(() => greet(own))
    const ended = await retrying(() => watchSent(work.watch, own))
    const sent = await work.sendQueued(own)
    return returned + ended + sent + (await confirmSometimes(own))
  }

  const round = async (isRecovery: boolean): Promise<number> => {
    const own = await deps.signer()
    const isOpen = isRecovery || (await store.hasOpen(own))
    if (!isOpen && !(deps.node.isAwake() && performance.now() - confirmedAt >= CONFIRM_MS)) return 0
    if (!(await holdsLease())) return 0
    try {
      const done = await attend(own)
      trouble = undefined
      return done
    } catch (err) {
      if (!(err instanceof RpcError)) throw err
      trouble = operatorHint(err)
      deps.onError(err)
      await work.failQueued(own)
      return 0
    }
  }

  const once = async (isRecovery: boolean): Promise<number> => {
    while (current !== undefined) {
      const running = current
      if (!isRecovery) return running
      await running.catch(() => 0)
    }
    current = round(isRecovery).finally(() => {
      current = undefined
    })
    return current
  }

  return {
    run: () => once(false),
    recover: async (): Promise<void> => void (await once(true)),
    /** Advice for the operator about the last failure, if known. */
    lastTrouble: () => trouble,
    /** Lets the next node take over without waiting for the lease to expire. */
    async release(): Promise<void> {
      if (isHolder) await store.releaseLease(leaseName(deps), deps.holder).catch(deps.onError)
    },
  }
}

function leaseName({ node }: RoundDeps): string {
  return `relayer ${node.chainId}`
}

function createRoundWork(deps: RoundDeps) {
  const { db, clock, chain, settings } = deps
  const store = createRelayStore(db)
  const settle = async (tx: Db, row: Transaction, outcome: Outcome): Promise<void> => {
    if (row.subject !== null) await deps.outcomeHandlers()[row.kind]?.(tx, row.subject, outcome)
    await deps.notices.publish(tx, deps.topic, row.transactionId)
    deps.onSettled(row.kind, outcome.became)
  }
  const { feeWeiMax } = settings
  const lease = { name: leaseName(deps), holder: deps.holder }
  const watch: WatchDeps = { db, clock, chain, feeWeiMax, lease, settle }
  const sending: SendDeps = {
    db,
    clock,
    chain,
    feeWeiMax,
    lease,
    onBalance: deps.onBalance,
    onShort: (reason, account) => alert(deps, reason, account),
  }

  /** None of these was broadcast, so the requester is notified and can retry. */
  const failQueued = async (own: OwnSigner): Promise<void> => {
    for (const row of await store.listQueued(own, QUEUED_AT_ONCE_MAX)) {
      await fail(watch, row, 'unavailable')
    }
  }

  const sendQueued = async (own: OwnSigner): Promise<number> => {
    let handled = 0
    for (const row of await store.listQueued(own, QUEUED_AT_ONCE_MAX)) {
      // Renewed here because sending is slow on a slow chain and the lease must not expire
      // meanwhile.
      if (!(await store.takeLease(leaseName(deps), deps.holder))) return handled
      const outcome = await send(sending, own, row)
      handled += 1
      if ('lost' in outcome) return handled
      if (outcome.sent) await retrying(() => lookQuickly(watch, outcome.row))
      else await fail(watch, outcome.row, outcome.failure)
      if ('failure' in outcome && outcome.failure === 'unavailable') {
        await failQueued(own)
        return handled
      }
    }
    return handled
  }

  return { watch, sendQueued, failQueued }
}

const REASONS = {
  fee: 'The fees of the chain are above MAX_FEE_GWEI, so no transaction is sent.',
  balance: "The relayer's account has too little ether, so no transaction is sent.",
}

/** Mails the platform's administrators, at most once a day per reason (spec: chain §4). */
async function alert(
  { db, clock, adminEmails, mailer, node }: RoundDeps,
  reason: keyof typeof REASONS,
  account: Hex,
): Promise<void> {
  const day = clock.now().toISOString().slice(0, 10)
  await transact(db, async (tx) => {
    if (!(await createRelayStore(tx).raiseAlert(day, reason))) return
    const text = `${REASONS[reason]}\n\nChain ${node.chainId}, account ${account}.\n`
    for (const to of adminEmails) {
      await mailer.queue(tx, { kind: 'relayer alert', to, subject: REASONS[reason], text })
    }
  })
}
