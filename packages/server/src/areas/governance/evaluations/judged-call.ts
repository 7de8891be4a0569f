import {
  type EnforcementMode,
  type Evaluation,
  type EvaluationCall,
  type EvaluationContext,
  evaluatePolicy,
} from '@touchstone/protocol/policy'
import type { CallPolicy } from './call-policy.ts'

/** The mode of a policy; an agent has an enforcement mode of its own. */
type PolicyMode = EnforcementMode

/** A call or trace with its evaluation. */
export type JudgedCall = {
  orgId: string
  agentId: string
  context: EvaluationContext
  evaluation: Evaluation
  policyMode: PolicyMode
  policyId: string | null
  policyVersion: number | null
  transactionId: string | null
  evaluatedAt: Date
  durationMs: number
}

type CallToJudge = {
  tools: readonly string[]
  context: EvaluationContext
  now: Date
  firstSeenMs: ReadonlyMap<string, number>
  args?: Readonly<Record<string, unknown>> | undefined
  /** Called before each step; throws to abort the evaluation. */
  beforeStep?: (() => void) | undefined
}

/** The input of an evaluation, except its time. */
export function evaluationInput(
  { enforcedSinceMs, transaction }: CallPolicy,
  call: Omit<CallToJudge, 'now'>,
): Omit<EvaluationCall, 'nowMs'> {
  return {
    tools: call.tools,
    context: call.context,
    firstSeenMs: call.firstSeenMs,
    args: call.args,
    beforeStep: call.beforeStep,
    enforcedSinceMs,
    transaction: transaction && {
      status: transaction.status,
      actionType: transaction.actionType ?? '',
      tools: transaction.tools,
    },
  }
}

/** Evaluates a trace. A trace without tools passes, whatever triggers would fire for calls. */
export function judgeTrace(
  callPolicy: CallPolicy,
  call: Pick<CallToJudge, 'tools' | 'context' | 'now' | 'firstSeenMs' | 'beforeStep'>,
): Evaluation {
  const { compiled } = callPolicy
  if (call.tools.length > 0) {
    return evaluatePolicy(compiled, {
      ...evaluationInput(callPolicy, call),
      nowMs: call.now.getTime(),
    })
  }
  const { coverage } = compiled
  return { verdict: 'pass', violations: [], warnings: [], card_gaps: [], coverage }
}

export function judgedCall(
  { compiled, policyId, policyVersion, transaction }: CallPolicy,
  given: Pick<
    JudgedCall,
    'orgId' | 'agentId' | 'context' | 'evaluation' | 'evaluatedAt' | 'durationMs'
  >,
): JudgedCall {
  return {
    orgId: given.orgId,
    agentId: given.agentId,
    context: given.context,
    evaluation: given.evaluation,
    evaluatedAt: given.evaluatedAt,
    // spec: governance §2.2: three decimals.
    durationMs: Math.round(given.durationMs * 1000) / 1000,
    policyMode: compiled.defaults.enforcement_mode,
    policyId,
    policyVersion,
    transactionId: transaction?.transactionId ?? null,
  }
}

/** The summary of an evaluation in traces and events (spec: governance §2.4). */
export type PolicyFindings = {
  verdict: Evaluation['verdict']
  violations: number
  warnings: number
  policy_id: string | null
  policy_version: number | null
  /** The violating tools, each once. */
  tools: readonly string[]
}

export function findingsOf(
  of: Pick<JudgedCall, 'evaluation' | 'policyId' | 'policyVersion'>,
): PolicyFindings {
  const { verdict, violations, warnings } = of.evaluation
  return {
    verdict,
    violations: violations.length,
    warnings: warnings.length,
    policy_id: of.policyId,
    policy_version: of.policyVersion,
    tools: [...new Set(violations.map(({ tool }) => tool))],
  }
}
