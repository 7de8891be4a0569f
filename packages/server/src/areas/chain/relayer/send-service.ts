import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@touchstone/protocol/chain'
import { RpcError } from '../../../chain/json-rpc.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { isSurelyNotSent, type NodeClient } from './node-client.ts'
import { loadEvm, type OwnSigner } from './signer-service.ts'
import { createRelayStore } from './store.ts'
import {
  type Attempt,
  type Failure,
  type Fees,
  feesFor,
  gasLimitFor,
  type Transaction,
} from './transaction.ts'

export type SendDeps = {
  db: Db
  clock: Clock
  chain: NodeClient
  feeWeiMax: bigint
  lease: { name: string; holder: string }
  /** Alerts the administrators, once a day per reason. */
  onShort(reason: 'fee' | 'balance', account: Hex): Promise<void>
  onBalance(wei: bigint): void
}

/** Delays between retries (spec: chain §4). */
const RETRY_MS = [250, 1000, 3000]

/**
 * The result of sending, with the updated row. `lost`: another node took the lease and sends it.
 */
export type Sent =
  | { sent: true; row: Transaction }
  | { sent: false; row: Transaction; failure: Failure }
  | { sent: false; lost: true }

/** Takes a queued transaction to broadcast, or to the reason for its failure. */
export async function send(deps: SendDeps, signer: OwnSigner, row: Transaction): Promise<Sent> {
  const plan = await retrying(() => planFor(deps, signer, row)).catch(asUnavailable)
  if ('failure' in plan) return { sent: false, row, failure: plan.failure }
  const signed = await signNext(deps, signer, row, plan)
  if (signed === undefined) return { sent: false, lost: true }
  const isOut = await broadcastFirst(deps, signed.raw)
  return isOut
    ? { sent: true, row: signed.row }
    : { sent: false, row: signed.row, failure: 'unavailable' }
}

function asUnavailable(err: unknown): { failure: Failure } {
  if (!(err instanceof RpcError)) throw err
  return { failure: 'unavailable' }
}

type Plan = { gasLimit: number; fees: Fees; nextNonce: number }

/** Simulates first: a transaction that would revert is not sent. */
async function planFor(
  { chain, feeWeiMax, ...deps }: SendDeps,
  signer: OwnSigner,
  row: Transaction,
): Promise<Plan | { failure: Failure }> {
  const call = { from: signer.relayer, to: row.to, data: row.data }
  const simulated = row.to === null ? { ok: true as const } : await chain.simulate(call)
  if (!simulated.ok) return { failure: await revertOf(simulated.data) }
  const estimate = await chain.estimateGas(call)
  if (typeof estimate !== 'number') return { failure: await revertOf(estimate.data) }
  const gasLimit = gasLimitFor(estimate)
  if (gasLimit === undefined) return { failure: 'reverted OutOfGas' }
  const fees = feesFor(await chain.fees(), feeWeiMax)
  const balance = await chain.balance(signer.relayer)
  deps.onBalance(balance)
  if (fees === undefined) return short('fee')
  if (balance < fees.maxFee * BigInt(gasLimit)) return short('balance')
  return { gasLimit, fees, nextNonce: await chain.nextNonce(signer.relayer) }

  async function short(reason: 'fee' | 'balance'): Promise<{ failure: Failure }> {
    await deps.onShort(reason, signer.relayer)
    return { failure: reason }
  }
}

async function revertOf(data: string | undefined): Promise<Failure> {
  const { revertName } = await loadEvm()
  return `reverted ${revertName(data) ?? 'unknown'}`
}

/**
 * Assigns the nonce, signs, and stores the signed transaction while holding the lease: if
 * several nodes believe they hold it, only one succeeds. Undefined for the others.
 */
function signNext(
  deps: SendDeps,
  signer: OwnSigner,
  row: Transaction,
  { gasLimit, fees, nextNonce }: Plan,
): Promise<{ row: Transaction; raw: Hex } | undefined> {
  return transact(deps.db, async (tx) => {
    const store = createRelayStore(tx)
    if (!(await store.holdLease(deps.lease.name, deps.lease.holder))) return undefined
    const last = await store.lastNonce(signer)
    const nonce = Math.max((last ?? -1) + 1, nextNonce)
    if (!(await store.markSent(row, nonce, gasLimit))) return undefined
    const sent = { ...row, state: 'sent' as const, nonce, gasLimit }
    const attempt = await signAttempt(signer, sent, fees)
    await store.addAttempt(sent, attempt, deps.clock.now())
    return { row: { ...sent, txHash: attempt.txHash }, raw: attempt.raw }
  })
}

export async function signAttempt(
  signer: OwnSigner,
  row: Pick<Transaction, 'nonce' | 'gasLimit' | 'to' | 'data'>,
  fees: Fees,
): Promise<Attempt> {
  const { sign } = await loadEvm()
  const { raw, hash } = await sign(signer.key, {
    chainId: signer.chainId,
    nonce: row.nonce ?? 0,
    to: row.to ?? undefined,
    data: row.data,
    gas: BigInt(row.gasLimit ?? 0),
    maxFeePerGas: fees.maxFee,
    maxPriorityFeePerGas: fees.tip,
  })
  return { txHash: hash, raw, fees }
}

/**
 * Whether it may have reached the network. Unless a node has certainly rejected it, it counts as
 * broadcast, and its receipt decides.
 */
async function broadcastFirst({ chain }: SendDeps, raw: Hex): Promise<boolean> {
  let mayBeOut = false
  try {
    await retrying(
      () => chain.broadcast(raw),
      (err) => {
        mayBeOut ||= !isSurelyNotSent(err)
        return err.kind === 'unreachable' || err.isPassing
      },
    )
    return true
  } catch (err) {
    if (!(err instanceof RpcError)) throw err
    return mayBeOut || !isSurelyNotSent(err)
  }
}

/** Permanent refusals are not retried. */
export async function retrying<T>(
  work: () => Promise<T>,
  again = (err: RpcError) => err.kind !== 'refused' || err.isPassing,
): Promise<T> {
  for (const pauseMs of RETRY_MS) {
    try {
      return await work()
    } catch (err) {
      if (!(err instanceof RpcError) || !again(err)) throw err
      await sleep(pauseMs)
    }
  }
  return work()
}
