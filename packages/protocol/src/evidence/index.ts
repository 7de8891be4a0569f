export {
  contentKeyOf,
  type Flag,
  flagsOf,
  GAP_SPREAD_MS_MAX,
  isExcluded,
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
export {
  type ChainHead,
  type ChainInput,
  type ChainLink,
  type ChainWalk,
  chainHash,
  walkChain,
} from './hash-chain.ts'
export {
  type AttestedRecord,
  buildRecord,
  type CertifiedConcern,
  type Claims,
  certificateId,
  type RecordParts,
  recordHash,
  type Subject,
} from './record.ts'
export {
  type CertificateChecks,
  type CertificateVerification,
  type TrustedKey,
  type VerificationOutcome,
  verifyCertificate,
} from './verify-certificate.ts'
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
