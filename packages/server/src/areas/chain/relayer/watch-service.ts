import { setTimeout as sleep } from 'node:timers/promises'
import { RpcError } from '../../../chain/json-rpc.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { NodeClient, Receipt } from './node-client.ts'
import type { Outcome } from './ports.ts'
import { signAttempt } from './send-service.ts'
import type { OwnSigner } from './signer-service.ts'
import { createRelayStore } from './store.ts'
import {
  CONFIRMATIONS,
  type Failure,
  type Fees,
  isOvertaken,
  raisedFees,
  stepFor,
  type Transaction,
} from './transaction.ts'

export type WatchDeps = {
  db: Db
  clock: Clock
  chain: NodeClient
  feeWeiMax: bigint
  lease: { name: string; holder: string }
  /** Notifies the requester in the same transaction. */
  settle(tx: Db, row: Transaction, outcome: Outcome): Promise<void>
}

const AT_ONCE_MAX = 100
/** The development chain mines immediately; other chains are polled in the next round. */
const QUICK_LOOKS_MS = [5, 10, 20, 40, 80, 160, 320]

/** Watches sent transactions until they are mined. Returns the number that were settled. */
export async function watchSent(deps: WatchDeps, signer: OwnSigner): Promise<number> {
  const rows = await createRelayStore(deps.db).listSent(signer, AT_ONCE_MAX)
  if (rows.length === 0) return 0
  // Queried before any receipt: a transaction mined in between must not look overtaken.
  const nextNonce = await sureNonce(deps, signer)
  let ended = 0
  for (const row of rows) {
    if (!(await holdsLease(deps, deps.db))) return ended
    if (await watchOne(deps, signer, row, nextNonce)) ended += 1
  }
  return ended
}

/** All nonces below it are used for good. */
function sureNonce({ chain }: WatchDeps, { relayer }: OwnSigner): Promise<number> {
  return chain.node.mode === 'rpc'
    ? chain.nonceBefore(relayer, CONFIRMATIONS)
    : chain.nextNonce(relayer)
}

/**
 * Renews the lease, because queries to the chain are slow. In a transaction it is locked until
 * the end.
 */
function holdsLease({ lease }: WatchDeps, db: Db): Promise<boolean> {
  return createRelayStore(db).takeLease(lease.name, lease.holder)
}

/** A short poll for a chain that mines immediately. */
export async function lookQuickly(deps: WatchDeps, row: Transaction): Promise<boolean> {
  for (const pauseMs of QUICK_LOOKS_MS) {
    if (await settleIfMined(deps, row)) return true
    await sleep(pauseMs)
  }
  return settleIfMined(deps, row)
}

async function watchOne(
  deps: WatchDeps,
  signer: OwnSigner,
  row: Transaction,
  nextNonce: number,
): Promise<boolean> {
  if (await settleIfMined(deps, row)) return true
  const now = deps.clock.now()
  if (isOvertaken(row, { nextNonce, now })) return requeue(deps, row)
  const [newest] = await createRelayStore(deps.db).attemptsOf(row.transactionId)
  const fees = newest && raisedFees(newest.fees, deps.feeWeiMax)
  const step = stepFor(row, { now, canRaise: fees !== undefined })
  if (step === 'replace' && fees !== undefined) await replace(deps, signer, row, fees)
  if (step === 'rebroadcast') await rebroadcast(deps, row)
  return false
}

function requeue(deps: WatchDeps, row: Transaction): Promise<boolean> {
  return transact(
    deps.db,
    async (tx) => (await holdsLease(deps, tx)) && (await createRelayStore(tx).requeue(row)),
  )
}

async function settleIfMined(deps: WatchDeps, row: Transaction): Promise<boolean> {
  const receipt = await findAnyReceipt(deps, row)
  if (receipt !== undefined) await settleMined(deps, row, receipt)
  return receipt !== undefined
}

async function findAnyReceipt(deps: WatchDeps, row: Transaction): Promise<Receipt | undefined> {
  for (const { txHash } of await createRelayStore(deps.db).attemptsOf(row.transactionId)) {
    const receipt = await deps.chain.findReceipt(txHash)
    if (receipt !== undefined) return receipt
  }
  return undefined
}

async function settleMined(deps: WatchDeps, row: Transaction, receipt: Receipt): Promise<void> {
  const { succeeded, ...mined } = receipt
  if (!succeeded) return void (await fail(deps, row, 'reverted onchain'))
  const { chainId } = deps.chain.node
  await transact(deps.db, async (tx) => {
    const isChanged = await createRelayStore(tx).markMined(row, mined)
    if (isChanged) await deps.settle(tx, row, { became: 'mined', chainId, mined })
  })
}

/**
 * A transaction that reverted on the chain has used its nonce; one that was not sent has none.
 * Only the holder of the lease can fail a row, and only if the row is unchanged. A nonce is not
 * released while a higher one is in use: then the row stays sent and is rebroadcast.
 */
export function fail(deps: WatchDeps, row: Transaction, failure: Failure): Promise<boolean> {
  const usedNonce = failure === 'reverted onchain'
  return transact(deps.db, async (tx) => {
    const store = createRelayStore(tx)
    if (!(await holdsLease(deps, tx))) return false
    if (!usedNonce && (await store.isFollowed(row.transactionId))) return false
    if (!(await store.markFailed(row, failure, usedNonce))) return false
    await deps.settle(tx, row, { became: 'failed' })
    return true
  })
}

/** Rebroadcasts the newest attempt; a chain that refuses it now may accept it later. */
async function rebroadcast(deps: WatchDeps, row: Transaction): Promise<void> {
  const store = createRelayStore(deps.db)
  const [newest] = await store.attemptsOf(row.transactionId)
  const isOut = await store.touch(row, deps.clock.now())
  if (newest === undefined || !isOut) return
  await deps.chain.broadcast(newest.raw).catch(unlessRefused)
}

async function replace(
  deps: WatchDeps,
  signer: OwnSigner,
  row: Transaction,
  fees: Fees,
): Promise<void> {
  const attempt = await signAttempt(signer, row, fees)
  const counted = { ...row, replacements: row.replacements + 1 }
  const isStored = await transact(
    deps.db,
    async (tx) =>
      (await holdsLease(deps, tx)) &&
      (await createRelayStore(tx).addAttempt(counted, attempt, deps.clock.now())),
  )
  if (isStored) await deps.chain.broadcast(attempt.raw).catch(unlessRefused)
}

function unlessRefused(err: unknown): void {
  if (!(err instanceof RpcError) || err.kind !== 'refused') throw err
}

/**
 * Resends, in order, transactions that were reported as mined but that the chain has not
 * reached: after a killed development chain or a deep reorganisation.
 */
export async function resendLost(deps: WatchDeps, signer: OwnSigner): Promise<number> {
  let resent = 0
  for (;;) {
    const lost = await listLost(deps, signer)
    for (const row of lost) {
      if (!(await bringBack(deps, row))) return resent
      resent += 1
    }
    // Nodes behind one RPC address can disagree, so the rest waits for the next round.
    if (lost.length === 0 || deps.chain.node.mode === 'rpc') return resent
  }
}

/** A node behind the operator's RPC address can lag, so one answer is not enough. */
async function listLost(deps: WatchDeps, signer: OwnSigner): Promise<Transaction[]> {
  const nextNonce = await deps.chain.nextNonce(signer.relayer)
  const lost = await createRelayStore(deps.db).listLost(signer, nextNonce, AT_ONCE_MAX)
  if (lost.length === 0 || deps.chain.node.mode !== 'rpc') return lost
  const again = await deps.chain.nextNonce(signer.relayer)
  const [first] = lost
  const isThere = first !== undefined && (await findAnyReceipt(deps, first)) !== undefined
  return isThere ? [] : lost.filter(({ nonce }) => nonce !== null && nonce >= again)
}

/** False if another node does it. */
async function bringBack(deps: WatchDeps, row: Transaction): Promise<boolean> {
  const isGone = await transact(deps.db, async (tx) => {
    if (!(await holdsLease(deps, tx))) return false
    if (!(await createRelayStore(tx).markGone(row, deps.clock.now()))) return false
    await deps.settle(tx, row, { became: 'gone' })
    return true
  })
  if (!isGone) return false
  const sent = { ...row, state: 'sent' as const }
  await rebroadcast(deps, sent)
  await lookQuickly(deps, sent)
  return true
}

/** Checks transactions again at ten blocks deep: final, mined in another block, or gone. */
export async function confirm(deps: WatchDeps, signer: OwnSigner): Promise<number> {
  const blockMax = (await deps.chain.blockNumber()) - CONFIRMATIONS
  const unsure = await createRelayStore(deps.db).listUnsure(signer, blockMax, AT_ONCE_MAX)
  for (const row of unsure) {
    const receipt = row.txHash === null ? undefined : await deps.chain.findReceipt(row.txHash)
    if (receipt === undefined) await bringBack(deps, row)
    else if (receipt.blockHash !== row.blockHash) await settleMined(deps, row, receipt)
    else await createRelayStore(deps.db).markFinal(row)
  }
  return unsure.length
}
