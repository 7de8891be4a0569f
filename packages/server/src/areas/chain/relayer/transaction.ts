import type { Hex } from '@touchstone/protocol/chain'

/** The relayer's transactions and their rules (spec: chain §4). */

export type Kind = 'deploy_anchor' | 'deploy_registry' | 'anchor' | 'publication'

export type State = 'queued' | 'sent' | 'mined' | 'final' | 'failed'

/**
 * The reason for a failure. A revert includes the name of the contract's error, if it has one.
 * `unavailable`, `fee` and `balance` were never broadcast.
 */
export type Failure = 'unavailable' | 'fee' | 'balance' | 'abandoned' | `reverted ${string}`

export type NewTransaction = {
  kind: Kind
  subject: string | null
  /** Null deploys a contract. */
  to: Hex | null
  data: Hex
}

export type Transaction = NewTransaction & {
  transactionId: string
  state: State
  nonce: number | null
  gasLimit: number | null
  replacements: number
  sentAt: Date | null
  touchedAt: Date | null
  txHash: Hex | null
  blockNumber: number | null
  blockHash: Hex | null
  contractAddress: Hex | null
  failure: Failure | null
}

/** The place and time of mining. */
export type Mined = {
  txHash: Hex
  blockNumber: number
  blockHash: Hex
  blockAt: Date
  /** The index within the block. */
  txIndex: number
  gasUsed: number
  contractAddress: Hex | null
}

export type Attempt = { txHash: Hex; raw: Hex; fees: Fees }

/** In wei. */
export type Fees = { maxFee: bigint; tip: bigint }

/** The gas limit of one transaction on any chain (EIP-7825). */
export const GAS_MAX = 2 ** 24
/** Depth at which a block counts as final. */
export const CONFIRMATIONS = 10

const TIP_WEI_MIN = 1_000_000n
const REBROADCAST_MS = 30_000
const REPLACE_MS = 90_000
const REPLACEMENTS_MAX = 5

/** Undefined if the base fee alone is above the cap. */
export function feesFor(
  { baseFee, tip }: { baseFee: bigint; tip: bigint },
  feeMax: bigint,
): Fees | undefined {
  const wanted = tip > TIP_WEI_MIN ? tip : TIP_WEI_MIN
  if (baseFee + wanted > feeMax) return undefined
  const generous = 2n * baseFee + wanted
  return { maxFee: generous < feeMax ? generous : feeMax, tip: wanted }
}

/**
 * Raises both by an eighth, the minimum that nodes accept for a replacement. Undefined above the
 * cap.
 */
export function raisedFees({ maxFee, tip }: Fees, feeMax: bigint): Fees | undefined {
  const raised = { maxFee: byAnEighth(maxFee), tip: byAnEighth(tip) }
  return raised.maxFee > feeMax ? undefined : raised
}

/** Rounded up, so that it is never less than an eighth. */
function byAnEighth(wei: bigint): bigint {
  return (wei * 9n + 7n) / 8n
}

/** The estimate plus a fifth; undefined if no block would accept it. */
export function gasLimitFor(estimate: number): number | undefined {
  const limit = Math.ceil(estimate * 1.2)
  if (limit <= GAS_MAX) return limit
  return estimate <= GAS_MAX ? GAS_MAX : undefined
}

export type Step = 'wait' | 'rebroadcast' | 'replace'

/** The next step for a transaction that is sent but not mined. */
export function stepFor(
  { sentAt, touchedAt, replacements }: Pick<Transaction, 'sentAt' | 'touchedAt' | 'replacements'>,
  { now, canRaise }: { now: Date; canRaise: boolean },
): Step {
  const sinceSent = now.getTime() - (sentAt?.getTime() ?? 0)
  const sinceTouched = now.getTime() - (touchedAt?.getTime() ?? 0)
  const isStuck = sinceSent >= REPLACE_MS && replacements < REPLACEMENTS_MAX
  if (isStuck && canRaise) return 'replace'
  return sinceTouched >= REBROADCAST_MS ? 'rebroadcast' : 'wait'
}

/**
 * Whether its nonce was used by another holder of the key. The nonce must be queried before the
 * receipts.
 */
export function isOvertaken(
  { sentAt, nonce }: Pick<Transaction, 'sentAt' | 'nonce'>,
  chain: { nextNonce: number; now: Date },
): boolean {
  if (nonce === null || nonce >= chain.nextNonce) return false
  return chain.now.getTime() - (sentAt?.getTime() ?? 0) >= REPLACE_MS
}
