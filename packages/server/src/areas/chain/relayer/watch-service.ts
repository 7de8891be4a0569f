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
  /** Tells who waits for it, in the same transaction. */
  settle(tx: Db, row: Transaction, outcome: Outcome): Promise<void>
}

const AT_ONCE_MAX = 100
/** The development chain mines at once; another is asked again in the next round. */
const QUICK_LOOKS_MS = [5, 10, 20, 40, 80, 160, 320]

/** Looks after what was sent until it is mined. Gives how many came to an end. */
export async function watchSent(deps: WatchDeps, signer: OwnSigner): Promise<number> {
  let ended = 0
  for (const row of await createRelayStore(deps.db).listSent(signer, AT_ONCE_MAX)) {
    if (await watchOne(deps, signer, row)) ended += 1
  }
  return ended
}

/** Short, for a chain that mines at once. */
export async function lookQuickly(deps: WatchDeps, row: Transaction): Promise<boolean> {
  for (const pauseMs of QUICK_LOOKS_MS) {
    if (await settleIfMined(deps, row)) return true
    await sleep(pauseMs)
  }
  return settleIfMined(deps, row)
}

async function watchOne(deps: WatchDeps, signer: OwnSigner, row: Transaction): Promise<boolean> {
  if (await settleIfMined(deps, row)) return true
  const now = deps.clock.now()
  const nextNonce = await deps.chain.nextNonce(signer.relayer)
  if (isOvertaken(row, { nextNonce, now })) {
    await createRelayStore(deps.db).requeue(row.transactionId)
    return true
  }
  const step = stepFor(row, now)
  if (step === 'replace' && (await replace(deps, signer, row))) return false
  if (step !== 'wait') await rebroadcast(deps, row)
  return false
}

async function settleIfMined(deps: WatchDeps, row: Transaction): Promise<boolean> {
  for (const { txHash } of await createRelayStore(deps.db).attemptsOf(row.transactionId)) {
    const receipt = await deps.chain.findReceipt(txHash)
    if (receipt === undefined) continue
    await settleMined(deps, row, receipt)
    return true
  }
  return false
}

async function settleMined(deps: WatchDeps, row: Transaction, receipt: Receipt): Promise<void> {
  const { succeeded, ...mined } = receipt
  if (!succeeded) return fail(deps, row, 'reverted onchain')
  const { chainId } = deps.chain.node
  await transact(deps.db, async (tx) => {
    await createRelayStore(tx).markMined(row.transactionId, mined)
    await deps.settle(tx, row, { became: 'mined', chainId, mined })
  })
}

/** What was reverted on the chain has used its nonce; what was not sent has none to use. */
export function fail(deps: WatchDeps, row: Transaction, failure: Failure): Promise<void> {
  return transact(deps.db, async (tx) => {
    const usedNonce = failure === 'reverted onchain'
    await createRelayStore(tx).markFailed(row.transactionId, failure, usedNonce)
    await deps.settle(tx, row, { became: 'failed' })
  })
}

/** The newest one; a chain that refuses it now may take it later. */
export async function rebroadcast(deps: WatchDeps, row: Transaction): Promise<void> {
  const store = createRelayStore(deps.db)
  const [newest] = await store.attemptsOf(row.transactionId)
  await store.touch(row.transactionId, deps.clock.now())
  if (newest === undefined) return
  await deps.chain.broadcast(newest.raw).catch(unlessRefused)
}

/** False when the fees cannot be raised any more. */
async function replace(deps: WatchDeps, signer: OwnSigner, row: Transaction): Promise<boolean> {
  const [newest] = await createRelayStore(deps.db).attemptsOf(row.transactionId)
  const fees = newest === undefined ? undefined : raisedFees(newest.fees, deps.feeWeiMax)
  if (fees === undefined) return false
  const attempt = await signAttempt(signer, row, fees)
  await transact(deps.db, async (tx) => {
    const store = createRelayStore(tx)
    await store.addAttempt(row.transactionId, attempt, deps.clock.now())
    await store.countReplacement(row.transactionId)
  })
  await deps.chain.broadcast(attempt.raw).catch(unlessRefused)
  return true
}

function unlessRefused(err: unknown): void {
  if (!(err instanceof RpcError) || err.kind !== 'refused') throw err
}

/**
 * What we were told is mined, but the chain has not come so far: a development chain that was
 * killed, or a deep change of course. All of it is sent again, in order.
 */
export async function resendLost(deps: WatchDeps, signer: OwnSigner): Promise<number> {
  const store = createRelayStore(deps.db)
  let resent = 0
  for (;;) {
    const nextNonce = await deps.chain.nextNonce(signer.relayer)
    const lost = await store.listLost(signer, nextNonce, AT_ONCE_MAX)
    if (lost.length === 0) return resent
    for (const row of lost) {
      await bringBack(deps, row)
      resent += 1
    }
  }
}

async function bringBack(deps: WatchDeps, row: Transaction): Promise<void> {
  await transact(deps.db, async (tx) => {
    await createRelayStore(tx).markGone(row.transactionId, deps.clock.now())
    await deps.settle(tx, row, { became: 'gone' })
  })
  await rebroadcast(deps, row)
  await lookQuickly(deps, row)
}

/** Looks again at what is ten blocks deep: it is there to stay, elsewhere now, or gone. */
export async function confirm(deps: WatchDeps, signer: OwnSigner): Promise<number> {
  const blockMax = (await deps.chain.blockNumber()) - CONFIRMATIONS
  const unsure = await createRelayStore(deps.db).listUnsure(signer, blockMax, AT_ONCE_MAX)
  for (const row of unsure) {
    const receipt = row.txHash === null ? undefined : await deps.chain.findReceipt(row.txHash)
    if (receipt === undefined) await bringBack(deps, row)
    else if (receipt.blockHash !== row.blockHash) await settleMined(deps, row, receipt)
    else await createRelayStore(deps.db).markFinal(row.transactionId)
  }
  return unsure.length
}
