export {
  contentKeyOf,
  type Flag,
  GAMING_FLAGS,
  GAP_SPREAD_MS_MAX,
  type GamingFlag,
  gamingFlagsOf,
  isExcluded,
  isGamingFlag,
  TWIN_AGE_MS_MAX,
  TWINS_MIN,
  UNIFORM_GAPS,
} from './anti-gaming.ts'
export {
  assembleCertificate,
  type Certificate,
  type CertificateContent,
  type ChainProof,
  type ContentParts,
  certificateContent,
  certificateHash,
  type Issue,
  type MerkleProof,
  SIGNATURE_ALGORITHM,
  type SignatureProof,
  signedPayload,
} from './certificate.ts'
export {
  ANALYZERS,
  type AnalysisDetails,
  type Analyzer,
  type Checkpoint,
  type Examination,
  isSynthetic,
  recordOf,
  type Seal,
  type SealedCheckpoint,
  type SyntheticReason,
} from './checkpoint.ts'
export {
  type CommittedValue,
  combinedCommitment,
  commitInputs,
  type InputCommitments,
  type Inputs,
  TEMPLATE_VERSION,
  valuesHash,
} from './commitments.ts'
export { FUNCTION_WORDS } from './function-words.ts'
export {
  type ChainHead,
  type ChainInput,
  type ChainLink,
  type ChainWalk,
  chainHash,
  walkChain,
} from './hash-chain.ts'
export {
  PROVENANCES,
  type Provenance,
  provenanceOf,
  type RecordSource,
} from './provenance.ts'
export {
  nodesForCertificate,
  nodesForCertificates,
  rebuildCertificate,
  type SealedRecord,
  type StoredCertificate,
} from './rebuild.ts'

export {
  ALIKE_BITS_MAX,
  fromSlots,
  type HashSlot,
  NO_HASHES,
  NOVELTY_HASHES,
  type RecentHashes,
  slotsSince,
  withHash,
} from './recent-hashes.ts'

export {
  type AttestedRecord,
  attestedProvenance,
  buildRecord,
  type CertifiedConcern,
  type Claims,
  certificateId,
  type RecordParts,
  type RecordVersion,
  recordHash,
  type Subject,
} from './record.ts'
export { traitsOf, traitsSteps } from './text-traits.ts'
export {
  ALIKE_MIN,
  type AnalysedHour,
  analysedInHour,
  HOUR_CHECKPOINTS_MAX,
  hourAfter,
  isSetAside,
  isThinFlag,
  NO_TEXT,
  type TextTraits,
  THIN_FLAGS,
  type ThinFlag,
  thinFlagsOf,
} from './thin-evidence.ts'
export {
  type CertificateChecks,
  type CertificateVerification,
  findKey,
  type TrustedKey,
  type VerificationOutcome,
  verifyCertificate,
} from './verify-certificate.ts'
export {
  type StoredFault,
  type StoredRow,
  type StoredRows,
  verifyStored,
} from './verify-stored.ts'
export {
  summariseWindow,
  WINDOW_SIZE_MAX,
  type WindowContext,
  type WindowEntry,
  type WindowSummary,
  windowAfter,
  windowBefore,
  windowContext,
  windowPosition,
} from './window.ts'
export { FUNCTION_WORD_PERCENT_MIN, SALAD_WORDS_MIN } from './word-salad.ts'
