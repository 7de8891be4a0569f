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
export { formatApiKey, isWellFormedApiKey } from './api-key.ts'
export {
  BADGE_VARIANTS,
  type Badge,
  type BadgeSubject,
  type BadgeVariant,
  badgeEtag,
  badgeSvg,
} from './badge.ts'
export { type Benchmarks, benchmarks, percentile, type ScoreTally } from './benchmarks.ts'
export {
  BUNDLE_FORMAT,
  type BundleAdjustment,
  type BundleCheckpoint,
  type BundleEntry,
  type BundleHeader,
  type BundlePairScore,
  type BundleSigner,
  type BundleTraceDrift,
  createBundleWriter,
} from './bundle.ts'
export {
  BUNDLE_CHECKS,
  type BundleCheck,
  type BundleCheckState,
  type BundleFault,
} from './bundle-faults.ts'
export { canonicalJson } from './canonical-json.ts'
export {
  type AlignmentCard,
  actionName,
  CONSCIENCE_TYPES,
  type ConscienceConflict,
  type ConscienceValue,
  conscienceConflicts,
  defaultCard,
  type EscalationTrigger,
  isListed,
  STANDARD_VALUES,
} from './card.ts'
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
  type CommittedValue,
  combinedCommitment,
  commitInputs,
  type InputCommitments,
  type Inputs,
  TEMPLATE_VERSION,
  valuesHash,
} from './commitments.ts'
export { VIOLATION_HALF_LIFE_HOURS, VIOLATION_WINDOW_MS, type Violation } from './compliance.ts'
export {
  COHERENCE_DEFAULT,
  COMPONENTS,
  type ComponentKey,
  type ComponentScores,
  componentScores,
  compositeScore,
} from './component-scores.ts'
export { type CardTemplate, composeCard, type OrgTemplate } from './compose-card.ts'
export {
  type Condition,
  type ConditionFacts,
  type ConditionOutcome,
  evaluateCondition,
  judgeCondition,
  parseCondition,
  toNumber,
} from './condition.ts'
export {
  actingType,
  composeValues,
  type EffectiveValue,
  type OrgValue,
  resolveValues,
  SYSTEM_BASE_VALUES,
  VALUE_SEVERITIES,
  type ValueLayers,
  type ValueSeverity,
  valueNameKey,
} from './conscience.ts'
export { linkedEntryHash, NO_ENTRY_HASH } from './control/linked-entry.ts'
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
} from './control/propagation.ts'
export {
  chooseReclassification,
  HARD_TYPES,
  RECLASSIFIED_TYPES,
  type ReclassificationChoice,
  type ReclassificationRequest,
  type ReclassifiedType,
} from './control/reclassification.ts'
export {
  compareCodePoints,
  DIRECTORY_SORTS,
  type DirectoryRank,
  type DirectorySort,
  directoryOrder,
} from './directory-order.ts'
export { base64ToBytes, bytesToBase64, bytesToHex, hexToBytes, isHashHex } from './encoding.ts'
export { escapeXml } from './escape-xml.ts'
export { GRADES, type Grade, NOT_RATED, type Standing, standingOf, type Tier } from './grade.ts'
export { hashCanonical, sha256Bytes, sha256Hex } from './hash.ts'
export {
  type ChainHead,
  type ChainInput,
  type ChainLink,
  type ChainWalk,
  chainHash,
  walkChain,
} from './hash-chain.ts'
export { inclusionPath, type PathItem, proofFromPath } from './inclusion-path.ts'
export { keccak256Hex } from './keccak.ts'
export { keyId, type PublishedKey, publishedKey } from './keys.ts'
export {
  type ConsistencyClaim,
  type InclusionClaim,
  leafHash,
  merkleRoot,
  nodeHash,
  rootFromInclusion,
  treeDepth,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts'
export {
  appendedNodes,
  consistencyProofFromNodes,
  inclusionProofFromNodes,
  type MerkleNode,
  type NodeId,
  nodeLookup,
  nodesForAppend,
  nodesForConsistency,
  nodesForInclusion,
  nodesForRoot,
  type ReadNode,
  rootFromNodes,
} from './merkle-nodes.ts'
export { createMerkleTree, type MerkleTree } from './merkle-tree.ts'
export {
  type CompiledPolicy,
  type CompileInput,
  compilePolicy,
} from './policy/compile-policy.ts'
export type { ConditionEnvironment } from './policy/condition-names.ts'
export { type Coverage, coverageOf } from './policy/coverage.ts'
export {
  type CallDecision,
  type Decision,
  type DecisionInput,
  type DecisionReason,
  decideCall,
  type EscalationStanding,
  escalationStanding,
} from './policy/decide.ts'
export {
  assembleDecisionReceipt,
  DECISION_RECEIPT_CONTEXT,
  type DecisionReceipt,
  type DecisionStatement,
  decisionPayload,
  decisionStatement,
  type ReceiptVerification,
  verifyDecisionReceipt,
} from './policy/decision-receipt.ts'
export { evaluatePolicy, toolsFirstSeen } from './policy/evaluate-policy.ts'
export {
  type CardGap,
  EVALUATION_CONTEXTS,
  type Evaluation,
  type EvaluationCall,
  type EvaluationContext,
  type PolicyVerdict,
  type PolicyViolation,
  type PolicyWarning,
  type TransactionStatus,
} from './policy/evaluation.ts'
export { isToolName, isToolPattern, matchesGlob, patternCovers } from './policy/glob.ts'
export { lintPolicy } from './policy/lint-policy.ts'
export {
  mergeTransaction,
  type TransactionFault,
  type TransactionLayers,
} from './policy/merge-transaction.ts'
export {
  BUILT_IN_DEFAULTS,
  type CapabilityMapping,
  ENFORCEMENT_MODES,
  type EnforcementMode,
  type ForbiddenRule,
  type MergedPolicy,
  POLICY_SCOPES,
  POLICY_TRIGGER_ACTIONS,
  type PolicyCard,
  type PolicyDefaults,
  type PolicyDocument,
  type PolicyMeta,
  type PolicyRules,
  type PolicyScope,
  type PolicyTrigger,
  SEVERITIES,
  type Severity,
  UNMAPPED_TOOL_ACTIONS,
} from './policy/policy.ts'
export {
  type ConditionReading,
  type PolicyCondition,
  readPolicyCondition,
} from './policy/policy-condition.ts'
export {
  type PolicyPair,
  type PolicyRelation,
  policyRelation,
  RELATION_STEPS_MAX,
  relatePolicies,
  type Unweighed,
} from './policy/policy-relation.ts'
export {
  type PolicyTestCase,
  type PolicyTestFile,
  type PolicyTestReading,
  readPolicyTests,
} from './policy/policy-test-file.ts'
export {
  type MergeStrategy,
  type ResolvedPolicy,
  resolvedPolicyId,
  resolvePolicy,
} from './policy/resolve-policy.ts'
export {
  type PolicyTestResult,
  type PolicyTestRun,
  runPolicyTests,
} from './policy/run-policy-tests.ts'
export {
  type PolicyOutcome,
  type PolicySurroundings,
  type TransactionPolicyOutcome,
  validatePolicy,
  validateTransactionPolicy,
} from './policy/validate-policy.ts'
export type { Evidence, ReasonCode } from './reason-codes.ts'
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
export { STREAK_MIN } from './recount.ts'
export { round, roundTo } from './rounding.ts'
export {
  type Basis,
  CHECKPOINTS_MIN,
  CONFIDENCE_LEVELS,
  type Confidence,
  confidenceOf,
  isEligible,
  METHODOLOGY_VERSION,
  type Rated,
  type RatedComponent,
  rate,
  type Unrated,
  type UnratedComponent,
  unrated,
} from './score.ts'
export type { ScoreInput } from './score-input.ts'
export { defaultSessionId } from './session-id.ts'
export { SCHEDULE_WORDS, SHA256_INITIAL, sha256Block } from './sha256-block.ts'
export { createShape, type Finding, isJsonObject, parseInstant, type Shape } from './shape.ts'
export {
  ed25519Pkcs8,
  ed25519PublicKey,
  ed25519Signer,
  signEd25519,
  verifyEd25519,
} from './signature.ts'
export { type TreeHead, treeHeadPayload, verifyTreeHead } from './tree-head.ts'
export { type ScoreLogEntry, TREND_WINDOW_MS, trend30d, weekStart } from './trend.ts'
export {
  describeUncertainty,
  FORECAST_DAYS,
  type GradeProbability,
  gradeProbability,
  INTERVAL_LEVEL,
  type Margins,
  scoreMargins,
  type Uncertainty,
  wilsonInterval,
} from './uncertainty.ts'
export {
  type CardOutcome,
  type CardPlace,
  type CardSubmission,
  validateCard,
} from './validate-card.ts'
export { type TemplateOutcome, validateTemplate } from './validate-template.ts'
export {
  type BundleScore,
  type BundleVerification,
  verifyBundle,
} from './verify-bundle.ts'
export {
  type CertificateChecks,
  type CertificateVerification,
  type TrustedKey,
  type VerificationOutcome,
  verifyCertificate,
} from './verify-certificate.ts'
