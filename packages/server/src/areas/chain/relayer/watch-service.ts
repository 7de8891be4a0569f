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
  /** Tells who waits for it, in the same transaction. */
  settle(tx: Db, row: Transaction, outcome: Outcome): Promise<void>
}

const AT_ONCE_MAX = 100
/** The development chain mines at once; another is asked again in the next round. */
const QUICK_LOOKS_MS = [5, 10, 20, 40, 80, 160, 320]

/** Looks after what was sent until it is mined. Gives how many came to an end. */
export async function watchSent(deps: WatchDeps, signer: OwnSigner): Promise<number> {
  const rows = await createRelayStore(deps.db).listSent(signer, AT_ONCE_MAX)
  if (rows.length === 0) return 0
  // Before any receipt: what is mined between the two questions must not look overtaken.
  const nextNonce = await sureNonce(deps, signer)
  let ended = 0
  for (const row of rows) {
    if (!(await holdsLease(deps, deps.db))) return ended
    if (await watchOne(deps, signer, row, nextNonce)) ended += 1
  }
  return ended
}

/** Below it every nonce is used for good. */
function sureNonce({ chain }: WatchDeps, { relayer }: OwnSigner): Promise<number> {
  return chain.node.mode === 'rpc'
    ? chain.nonceBefore(relayer, CONFIRMATIONS)
    : chain.nextNonce(relayer)
}

/** Renewed too, as questions to the chain take their time. In a transaction it is kept until its end. */
function holdsLease({ lease }: WatchDeps, db: Db): Promise<boolean> {
  return createRelayStore(db).takeLease(lease.name, lease.holder)
}

/** Short, for a chain that mines at once. */
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
 * What was reverted on the chain has used its nonce; what was not sent has none to use. Only by the
 * holder of the lease, and only as long as nothing has become of the row. A nonce is not given back
 * while a higher one is out: then the row stays sent, and is sent again.
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

/** The newest one; a chain that refuses it now may take it later. */
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
 * What we were told is mined, but the chain has not come so far: a development chain that was
 * killed, or a deep change of course. All of it is sent again, in order.
 */
export async function resendLost(deps: WatchDeps, signer: OwnSigner): Promise<number> {
  let resent = 0
  for (;;) {
    const lost = await listLost(deps, signer)
    for (const row of lost) {
      if (!(await bringBack(deps, row))) return resent
      resent += 1
    }
    // The nodes behind an address do not all know the same; what is left has time.
    if (lost.length === 0 || deps.chain.node.mode === 'rpc') return resent
  }
}

/** Behind the address of an operator one node may lag: there one answer is not enough. */
async function listLost(deps: WatchDeps, signer: OwnSigner): Promise<Transaction[]> {
  const nextNonce = await deps.chain.nextNonce(signer.relayer)
  const lost = await createRelayStore(deps.db).listLost(signer, nextNonce, AT_ONCE_MAX)
  if (lost.length === 0 || deps.chain.node.mode !== 'rpc') return lost
  const again = await deps.chain.nextNonce(signer.relayer)
  const [first] = lost
  const isThere = first !== undefined && (await findAnyReceipt(deps, first)) !== undefined
  return isThere ? [] : lost.filter(({ nonce }) => nonce !== null && nonce >= again)
}

/** False when another node does it. */
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

/** Looks again at what is ten blocks deep: it is there to stay, elsewhere now, or gone. */
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
