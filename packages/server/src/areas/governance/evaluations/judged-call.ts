import {
  type EnforcementMode,
  type Evaluation,
  type EvaluationCall,
  type EvaluationContext,
  evaluatePolicy,
} from '@touchstone/protocol/policy'
import type { Holding } from './holding.ts'

/** A call with everything that was said of it. */
export type JudgedCall = {
  orgId: string
  agentId: string
  context: EvaluationContext
  evaluation: Evaluation
  mode: EnforcementMode
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
  /** Called before each tool; what it throws ends the evaluation. */
  beforeStep?: (() => void) | undefined
}

/** All that an evaluation asks of a call, save the time of it. */
export function evaluationInput(
  { enforcedSinceMs, transaction }: Holding,
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

/** What a trace did is held to the rules without a transaction; one that used no tool passes. */
export function judgeTrace(
  holding: Holding,
  call: Pick<CallToJudge, 'tools' | 'context' | 'now' | 'firstSeenMs' | 'beforeStep'>,
): Evaluation {
  const { compiled } = holding
  if (call.tools.length > 0) {
    return evaluatePolicy(compiled, {
      ...evaluationInput(holding, call),
      nowMs: call.now.getTime(),
    })
  }
  const { coverage } = compiled
  return { verdict: 'pass', violations: [], warnings: [], card_gaps: [], coverage }
}

export function judgedCall(
  { compiled, policyId, policyVersion, transaction }: Holding,
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
    mode: compiled.defaults.enforcement_mode,
    policyId,
    policyVersion,
    transactionId: transaction?.transactionId ?? null,
  }
}

/** What traces and events say of an evaluation (spec: governance §2.4). */
export type PolicyFindings = {
  verdict: Evaluation['verdict']
  /** With the warnings, a count. */
  violations: number
  warnings: number
  policy_id: string | null
  policy_version: number | null
  /** The violating ones. */
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
