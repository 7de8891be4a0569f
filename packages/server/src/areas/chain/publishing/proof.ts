import { isJsonObject } from '@touchstone/protocol/base'
import { gradeBytes, type Hex, onChainId } from '@touchstone/protocol/chain'
import { keccak256Hex } from '@touchstone/protocol/crypto'
import { type AssuranceLevel, type Grade, isAssuranceLevel } from '@touchstone/protocol/score'

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

/** The published assurance level; null if the score was published without one. */
export function assuranceOf({ metadata }: Pick<StoredScore, 'metadata'>): AssuranceLevel | null {
  const parsed: unknown = JSON.parse(metadata)
  const level = isJsonObject(parsed) ? parsed['assurance'] : undefined
  return isAssuranceLevel(level) ? level : null
}

/** Checks every link from the current score to the chain (spec: chain §3). */
export function isVerified(
  stored: StoredScore,
  view: ChainView,
  current:
    | { score: number | null; grade: string; assurance: { level: AssuranceLevel } | null }
    | undefined,
): boolean {
  const { slot, receipt, events } = view
  const id = onChainId(stored.agentId)
  const slotHolds =
    slot.index > 0 &&
    slot.score === stored.score &&
    slot.grade === gradeBytes(stored.grade) &&
    slot.metadataPrefix === stored.metadataHash.slice(0, PREFIX_DIGITS)
  const hasEvent = events.some(
    (event) => event.id === id && event.metadataHash === stored.metadataHash,
  )
  const hashHolds = `0x${keccak256Hex(stored.metadata)}` === stored.metadataHash
  const mined = receipt?.succeeded === true && receipt.blockNumber === stored.blockNumber
  const isCurrent =
    current !== undefined &&
    current.score === slot.score &&
    current.grade === stored.grade &&
    isSameAssurance(assuranceOf(stored), current.assurance) &&
    slot.grade === gradeBytes(stored.grade)
  return slotHolds && hasEvent && hashHolds && mined && isCurrent
}

/** A score published without a level claims none, so it stays current. */
function isSameAssurance(
  published: AssuranceLevel | null,
  current: { level: AssuranceLevel } | null,
): boolean {
  return published === null || published === current?.level
}
