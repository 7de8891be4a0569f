export {
  type AmendedCards,
  type AmendmentClaim,
  type AmendmentOutcome,
  type JudgedCard,
  judgeAmendment,
  type TraceClaim,
} from './card-gap.ts'
export { linkedEntryHash, NO_ENTRY_HASH } from './linked-entry.ts'
export { LOOSENING_WINDOW_MS, loosens } from './loosening.ts'
export {
  adjustmentE4,
  advanceReach,
  beginReach,
  PROPAGATION,
  type Reach,
  type ReachedAgent,
  TRUST_LEVELS,
  TRUSTERS_READ_MAX,
  type TrustEdge,
  type TrustLevel,
} from './propagation.ts'
export {
  chooseReclassification,
  HARD_TYPES,
  RECLASSIFIED_TYPES,
  type ReclassificationChoice,
  type ReclassificationRequest,
  type ReclassifiedType,
} from './reclassification.ts'
