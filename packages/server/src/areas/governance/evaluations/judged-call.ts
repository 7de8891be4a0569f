import {
  type EnforcementMode,
  type Evaluation,
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

export type CallToJudge = {
  tools: readonly string[]
  context: EvaluationContext
  now: Date
  firstSeenMs: ReadonlyMap<string, number>
  args?: Readonly<Record<string, unknown>> | undefined
  /** Called before each tool; what it throws ends the evaluation. */
  beforeStep?: (() => void) | undefined
}

export function judge(holding: Holding, call: CallToJudge): Evaluation {
  const { compiled, enforcedSinceMs, transaction } = holding
  return evaluatePolicy(compiled, {
    tools: call.tools,
    context: call.context,
    firstSeenMs: call.firstSeenMs,
    args: call.args,
    beforeStep: call.beforeStep,
    nowMs: call.now.getTime(),
    enforcedSinceMs,
    transaction: transaction && {
      status: transaction.status,
      actionType: transaction.actionType ?? '',
      tools: transaction.tools,
    },
  })
}

/** What a trace did is held to the rules without a transaction; one that used no tool passes. */
export function judgeTrace(
  holding: Holding,
  call: Pick<CallToJudge, 'tools' | 'context' | 'now' | 'firstSeenMs' | 'beforeStep'>,
): Evaluation {
  if (call.tools.length > 0) return judge(holding, call)
  const { coverage } = holding.compiled
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
    // 02 §2.2: three decimals.
    durationMs: Math.round(given.durationMs * 1000) / 1000,
    mode: compiled.defaults.enforcement_mode,
    policyId,
    policyVersion,
    transactionId: transaction?.transactionId ?? null,
  }
}

/** What traces and events say of an evaluation (02 §2.4). */
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
