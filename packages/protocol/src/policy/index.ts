export {
  APPROVAL_ROLES,
  APPROVAL_SCOPES,
  type ApprovalBlock,
  type ApprovalRole,
  type ApprovalRule,
  type ApprovalScope,
  BUILT_IN_APPROVAL,
  satisfiesApproval,
  strictestApproval,
} from './approval-rule.ts'
export { type CallFate, callFate } from './call-fate.ts'
export { type CompiledPolicy, type CompileInput, compilePolicy } from './compile-policy.ts'
export type { CompiledSessionRules } from './compile-session-rules.ts'
export type { ConditionEnvironment } from './condition-names.ts'
export { namesInCondition } from './condition-reads.ts'
export { type Coverage, coverageOf } from './coverage.ts'
export {
  type CallDecision,
  type Decision,
  type DecisionInput,
  type DecisionReason,
  decideCall,
  ESCALATION_PENDING,
  type EscalationStanding,
} from './decide.ts'
export {
  type BatchHead,
  type BatchPlace,
  batchPayload,
  createDecisionBatch,
  type DecisionBatch,
  decisionLeaf,
  signedHead,
} from './decision-batch.ts'
export { verifyReceiptLog } from './decision-log.ts'
export {
  assembleDecisionReceipt,
  DECISION_RECEIPT_CONTEXT,
  type DecisionReceipt,
  type DecisionStatement,
  decisionPayload,
  decisionStatement,
  type ReceiptChecks,
  type ReceiptVerification,
  verifyDecisionReceipt,
} from './decision-receipt.ts'
export { evaluatePolicy, toolsFirstSeen } from './evaluate-policy.ts'
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
} from './evaluation.ts'
export { isToolName, isToolPattern, matchesGlob, patternCovers, TOOL_NAME_FORM } from './glob.ts'
export {
  type LearnedPolicy,
  type LearnedRule,
  type LearnInput,
  learnPolicy,
  type StoppedTool,
} from './learn-policy.ts'
export { lintPolicy } from './lint-policy.ts'
export {
  mergeTransaction,
  type TransactionFault,
  type TransactionLayers,
} from './merge-transaction.ts'
export {
  type CallFinding,
  CONNECT_TEST_SESSION,
  IGNORED_CALLS,
  type IgnoredCall,
  judgeDecision,
  judgeTrace,
  type Observation,
  type ObservedDecision,
  type ObservedTrace,
} from './observed-call.ts'
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
} from './policy.ts'
export {
  type ConditionReading,
  type PolicyCondition,
  readPolicyCondition,
} from './policy-condition.ts'
export type { PolicyPair, Unweighed } from './policy-difference.ts'
export {
  type PolicyRelation,
  policyRelation,
  RELATION_STEPS_MAX,
  relatePolicies,
} from './policy-relation.ts'
export {
  type PolicyTestCase,
  type PolicyTestFile,
  type PolicyTestReading,
  readPolicyTests,
} from './policy-test-file.ts'
export {
  type MergeStrategy,
  type ResolvedPolicy,
  resolvedPolicyId,
  resolvePolicy,
} from './resolve-policy.ts'
export { type PolicyTestResult, type PolicyTestRun, runPolicyTests } from './run-policy-tests.ts'
export {
  type CounterState,
  NEW_COUNTER,
  openFlows,
  takeCounts,
  withSessionFindings,
} from './session-counters.ts'
export {
  type FlowCheck,
  type Reservation,
  type SessionCall,
  type SessionDemand,
  type SessionFinding,
  sessionDemand,
} from './session-demand.ts'
export {
  createSessionReplay,
  createTraceReplay,
  type SessionReplay,
  type TracedCalls,
} from './session-replay.ts'
export {
  FLOW_ACTIONS,
  type LayeredFlow,
  type LayeredLimit,
  type LayeredSessionRules,
  type LayerName,
  LIMIT_ACTIONS,
  LIMIT_PERIODS,
  type PolicyFlow,
  type PolicyLimit,
  type SessionRules,
} from './session-rules.ts'
export { changedToolFinding } from './tool-change.ts'
export {
  MCP_SERVER_FORM,
  mcpToolName,
  type PinnableTool,
  readToolDefinition,
  type ToolDefinition,
} from './tool-pin.ts'
export {
  type PolicyOutcome,
  type PolicySurroundings,
  type TransactionPolicyOutcome,
  validatePolicy,
  validateTransactionPolicy,
} from './validate-policy.ts'
