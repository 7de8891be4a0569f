import { gradeBytes, type Hex, onChainId } from '@touchstone/protocol/chain'
import { keccak256Hex } from '@touchstone/protocol/crypto'
import type { Grade } from '@touchstone/protocol/score'

/** The stored newest publication of an agent. */
export type StoredScore = {
  agentId: string
  score: number
  grade: Grade
  metadata: string
  metadataHash: Hex
  contract: Hex
  txHash: Hex
  blockNumber: number
  publishedAt: Date
}

/** The chain's view of a publication. */
export type ChainView = {
  slot: { score: number; grade: Hex; index: number; metadataPrefix: Hex; publishedAt: number }
  /** Undefined if the transaction is in no block. */
  receipt: { succeeded: boolean; blockNumber: number } | undefined
  events: readonly { id: Hex; score: number; grade: Hex; metadataHash: Hex; index: number }[]
}

const PREFIX_DIGITS = 2 + 24

/** Checks every link from the current score to the chain (spec: chain §3). */
export function isVerified(
  stored: StoredScore,
  view: ChainView,
  current: { score: number | null; grade: string } | undefined,
): boolean {
  const { slot, receipt, events } = view
  const id = onChainId(stored.agentId)
  const slotHolds =
    slot.index > 0 &&
    slot.score === stored.score &&
    slot.grade === gradeBytes(stored.grade) &&
    slot.metadataPrefix === stored.metadataHash.slice(0, PREFIX_DIGITS)
  const told = events.some((event) => event.id === id && event.metadataHash === stored.metadataHash)
  const hashHolds = `0x${keccak256Hex(stored.metadata)}` === stored.metadataHash
  const mined = receipt?.succeeded === true && receipt.blockNumber === stored.blockNumber
  const isCurrent =
    current !== undefined &&
    current.score === slot.score &&
    current.grade === stored.grade &&
    slot.grade === gradeBytes(stored.grade)
  return slotHolds && told && hashHolds && mined && isCurrent
}
