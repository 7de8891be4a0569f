export { formatApiKey, isWellFormedApiKey } from './api-key.ts'
export { canonicalJson } from './base/canonical-json.ts'
export { base64ToBytes, bytesToBase64, bytesToHex, hexToBytes, isHashHex } from './base/encoding.ts'
export { escapeXml } from './base/escape-xml.ts'
export { round, roundTo } from './base/rounding.ts'
export { createShape, type Finding, isJsonObject, parseInstant, type Shape } from './base/shape.ts'
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
} from './bundle/bundle.ts'
export {
  BUNDLE_CHECKS,
  type BundleCheck,
  type BundleCheckState,
  type BundleFault,
} from './bundle/bundle-faults.ts'
export { STREAK_MIN } from './bundle/recount.ts'
export {
  type BundleScore,
  type BundleVerification,
  verifyBundle,
} from './bundle/verify-bundle.ts'
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
} from './cards/card.ts'
export { type CardTemplate, composeCard, type OrgTemplate } from './cards/compose-card.ts'
export {
  type Condition,
  type ConditionFacts,
  type ConditionOutcome,
  evaluateCondition,
  judgeCondition,
  parseCondition,
  toNumber,
} from './cards/condition.ts'
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
} from './cards/conscience.ts'
export {
  type CardOutcome,
  type CardPlace,
  type CardSubmission,
  validateCard,
} from './cards/validate-card.ts'
export { type TemplateOutcome, validateTemplate } from './cards/validate-template.ts'
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
export { hashCanonical, sha256Bytes, sha256Hex } from './crypto/hash.ts'
export { keccak256Hex } from './crypto/keccak.ts'
export { keyId, type PublishedKey, publishedKey } from './crypto/keys.ts'
export { SCHEDULE_WORDS, SHA256_INITIAL, sha256Block } from './crypto/sha256-block.ts'
export {
  ed25519Pkcs8,
  ed25519PublicKey,
  ed25519Signer,
  signEd25519,
  verifyEd25519,
} from './crypto/signature.ts'
export {
  contentKeyOf,
  type Flag,
  flagsOf,
  GAP_SPREAD_MS_MAX,
  isExcluded,
  TWIN_AGE_MS_MAX,
  TWINS_MIN,
  UNIFORM_GAPS,
} from './evidence/anti-gaming.ts'
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
} from './evidence/certificate.ts'
export {
  type CommittedValue,
  combinedCommitment,
  commitInputs,
  type InputCommitments,
  type Inputs,
  TEMPLATE_VERSION,
  valuesHash,
} from './evidence/commitments.ts'
export {
  type ChainHead,
  type ChainInput,
  type ChainLink,
  type ChainWalk,
  chainHash,
  walkChain,
} from './evidence/hash-chain.ts'
export {
  type AttestedRecord,
  buildRecord,
  type CertifiedConcern,
  type Claims,
  certificateId,
  type RecordParts,
  recordHash,
  type Subject,
} from './evidence/record.ts'
export {
  type CertificateChecks,
  type CertificateVerification,
  type TrustedKey,
  type VerificationOutcome,
  verifyCertificate,
} from './evidence/verify-certificate.ts'
export { inclusionPath, type PathItem, proofFromPath } from './merkle/inclusion-path.ts'
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
} from './merkle/merkle.ts'
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
  rootFromEdge,
  rootFromNodes,
} from './merkle/merkle-nodes.ts'
export { createMerkleTree, type MerkleTree } from './merkle/merkle-tree.ts'
export { type TreeHead, treeHeadPayload, verifyTreeHead } from './merkle/tree-head.ts'
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
export {
  isToolName,
  isToolPattern,
  matchesGlob,
  patternCovers,
  TOOL_NAME_FORM,
} from './policy/glob.ts'
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
export type { PolicyPair, Unweighed } from './policy/policy-difference.ts'
export {
  type PolicyRelation,
  policyRelation,
  RELATION_STEPS_MAX,
  relatePolicies,
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
export {
  BADGE_VARIANTS,
  type Badge,
  type BadgeSubject,
  type BadgeVariant,
  badgeEtag,
  badgeSvg,
} from './score/badge.ts'
export { type Benchmarks, benchmarks, percentile, type ScoreTally } from './score/benchmarks.ts'
export {
  VIOLATION_HALF_LIFE_HOURS,
  VIOLATION_WINDOW_MS,
  type Violation,
} from './score/compliance.ts'
export {
  COHERENCE_DEFAULT,
  COMPONENTS,
  type ComponentKey,
  type ComponentScores,
  componentScores,
  compositeScore,
} from './score/component-scores.ts'
export {
  compareCodePoints,
  DIRECTORY_SORTS,
  type DirectoryRank,
  type DirectorySort,
  directoryOrder,
} from './score/directory-order.ts'
export {
  GRADES,
  type Grade,
  NOT_RATED,
  type Standing,
  standingOf,
  type Tier,
} from './score/grade.ts'
export type { Evidence, ReasonCode } from './score/reason-codes.ts'
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
} from './score/score.ts'
export type { ScoreInput } from './score/score-input.ts'
export { type ScoreLogEntry, TREND_WINDOW_MS, trend30d, weekStart } from './score/trend.ts'
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
} from './score/uncertainty.ts'
export { defaultSessionId } from './session-id.ts'
