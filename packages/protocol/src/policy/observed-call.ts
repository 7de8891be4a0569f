import type { Decision, DecisionReason } from './decide.ts'
import type { PolicyVerdict } from './evaluation.ts'

/**
 * The findings tell what recorded calls prove about a tool: that it was used and nothing was wrong with
 * it, that a person had to be asked, or nothing, for a reason that is counted (spec: governance §2.5).
 */

/** The calls of "touchstone connect test" have this session. Nobody made them, so they prove nothing. */
export const CONNECT_TEST_SESSION = 'touchstone-connect-test'

/** Something was wrong with the call, or the policy would not have let it through. */
const FLAGS = [
  'refused',
  'bypassed',
  'would_be_refused',
  'flagged_session',
  'unverified_trace',
  'failed_policy',
] as const

/** Nothing was wrong with the call, but it proves nothing. */
const UNPROVEN = ['no_outcome', 'failed', 'not_executed'] as const

/** Found only when all calls are seen together, or with the policies of today. */
const LATER = ['contradicted_trace', 'forbidden_now', 'unusable_name'] as const

export const IGNORED_CALLS = [...FLAGS, ...UNPROVEN, ...LATER] as const
export type IgnoredCall = (typeof IGNORED_CALLS)[number]

export type CallFinding = 'used' | 'asked' | IgnoredCall

export type ObservedDecision = {
  decision: Decision
  verdict: PolicyVerdict | null
  reasons: readonly Pick<DecisionReason, 'code' | 'severity'>[]
  outcome: 'executed' | 'failed' | 'not_executed' | null
  bypassed: boolean
  /** False if the holder of the credential records decisions and does not stop calls. */
  enforced: boolean
  /** A checkpoint of the session is a boundary violation, or the session has an alert. */
  sessionFlagged: boolean
}

/** Codes that do not speak against a call. Any other does, so a new code is a flag until it is listed. */
const HARMLESS: ReadonlySet<string> = new Set(['approved', 'unmapped_tool', 'escalation_triggered'])

/** A person is asked because of these, unless they block. Without severity they only warn. */
const ASKING: ReadonlySet<string> = new Set(['escalation', 'limit', 'flow', 'loop'])

export function judgeDecision(seen: ObservedDecision): CallFinding {
  const { decision, outcome } = seen
  const wasMade = outcome === 'executed' || outcome === 'failed'
  if (decision === 'block' || decision === 'escalate') {
    if (!wasMade) return 'refused'
    if (seen.bypassed) return 'bypassed'
    if (!wasAsked(seen)) return 'would_be_refused'
  } else if (isFlagged(seen)) return 'would_be_refused'
  if (seen.sessionFlagged) return 'flagged_session'
  if (outcome === null) return 'no_outcome'
  if (outcome !== 'executed') return outcome
  return wasAsked(seen) ? 'asked' : 'used'
}

function isFlagged(seen: ObservedDecision): boolean {
  if (seen.verdict === 'fail') return true
  return seen.reasons.some((reason) => !HARMLESS.has(reason.code) && !isAboutAsking(reason))
}

/** A person approved the call, or would have been asked if anything were enforced. */
function wasAsked({ verdict, reasons }: ObservedDecision): boolean {
  if (verdict === 'fail' || reasons.length === 0) return false
  const isUnderstood = reasons.every((reason) => HARMLESS.has(reason.code) || isAboutAsking(reason))
  return (
    isUnderstood &&
    reasons.some(
      ({ code, severity }) => code === 'approved' || (ASKING.has(code) && severity !== null),
    )
  )
}

/** A limit without severity only warns; an escalation without one is pending or was refused. */
function isAboutAsking({ code, severity }: ObservedDecision['reasons'][number]): boolean {
  return ASKING.has(code) && (severity !== null || code === 'limit')
}

export type ObservedTrace = {
  verified: boolean
  /** Null if no policy was in force. */
  verdict: PolicyVerdict | null
  sessionFlagged: boolean
}

export function judgeTrace({ verified, verdict, sessionFlagged }: ObservedTrace): CallFinding {
  if (!verified) return 'unverified_trace'
  if (verdict === 'fail') return 'failed_policy'
  return sessionFlagged ? 'flagged_session' : 'used'
}

/** Equal calls, counted. */
export type Observation = {
  tool: string
  source: 'decision' | 'trace'
  finding: CallFinding
  count: number
  firstMs: number
  lastMs: number
  /** The id of the newest of these decisions or traces. */
  example: string
  /** The card action of a trace. */
  action?: string | undefined
  /** The policy let a trace through with a warning, for example because of the grace period. */
  warned?: boolean | undefined
}

/**
 * A trace is the agent's own account. It does not make a tool free of which a decision was flagged, and
 * does not replace the person who was asked about it.
 */
export function weighTraces(ofTool: readonly Observation[]): Observation[] {
  const decided = ofTool.filter(({ source }) => source === 'decision')
  const isContradicted = decided.some(({ finding }) => FLAGGED.has(finding))
  const isAsked = decided.some(({ finding }) => finding === 'asked')
  return ofTool.map((one) => {
    if (one.source === 'decision' || one.finding !== 'used') return one
    if (isContradicted) return { ...one, finding: 'contradicted_trace' }
    return isAsked ? { ...one, finding: 'asked' } : one
  })
}

const FLAGGED: ReadonlySet<string> = new Set(FLAGS)
