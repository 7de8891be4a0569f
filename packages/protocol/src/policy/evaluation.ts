import type { ApprovalRule } from './approval-rule.ts'
import type { Coverage } from './coverage.ts'
import type { Severity } from './policy.ts'

/**
 * Like policy documents, an evaluation is stored as it is, so it keeps its published field names.
 */

export const EVALUATION_CONTEXTS = ['gateway', 'runtime', 'audit'] as const
/** `audit` asks what the rules say; the others ask what an agent may do now. */
export type EvaluationContext = (typeof EVALUATION_CONTEXTS)[number]

export type PolicyVerdict = 'pass' | 'warn' | 'fail'

export type PolicyViolation = {
  type: 'forbidden' | 'unmapped' | 'escalation' | 'limit' | 'flow' | 'loop' | 'tool_changed'
  /** `*` for the call as a whole. */
  tool: string
  reason: string
  severity: Severity
  blocking: boolean
  /**
   * The pattern or condition, or `default`, `card` or `transaction`; a limit or flow by its layer and name.
   */
  rule: string
  capability?: string
  action?: 'escalate' | 'deny'
  /** Set if the action is escalate: the people who may approve. Not stored with the evaluation. */
  approval?: ApprovalRule
}

export type PolicyWarning = {
  type: 'unmapped_tool' | 'grace_period' | 'escalation_triggered' | 'limit' | 'tool_changed'
  tool: string
  reason: string
  expires_at?: string
}

export type CardGap = {
  tool: string
  capability: string
  missing_card_actions: readonly string[]
  reason: string
}

export type Findings = {
  violations: PolicyViolation[]
  warnings: PolicyWarning[]
  card_gaps: CardGap[]
}

export type Evaluation = Readonly<Findings> & { verdict: PolicyVerdict; coverage: Coverage }

export type TransactionStatus = 'active' | 'completed' | 'expired'

export type EvaluationCall = {
  tools: readonly string[]
  context: EvaluationContext
  nowMs: number
  /** When each tool was first seen with this agent; a tool that is not listed is seen now. */
  firstSeenMs: ReadonlyMap<string, number>
  /** The time since which some layer is in mode enforce, if any. */
  enforcedSinceMs?: number | undefined
  /** The transaction that the call names; the policy is then the one merged for it. */
  transaction?:
    | { status: TransactionStatus; actionType: string; tools: readonly string[] }
    | undefined
  args?: Readonly<Record<string, unknown>> | undefined
  /**
   * Called before each tool and trigger; an exception aborts the evaluation, which allows a
   * timeout.
   */
  beforeStep?: (() => void) | undefined
}
