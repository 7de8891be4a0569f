import type { DecisionRecord, Outcome, OutcomeStatus } from './decision-record.ts'

/** An outcome as a client reported it. */
export type ReportedOutcome = Pick<Outcome, 'status' | 'durationMs' | 'error' | 'resultHash'>

/** The key, connection or user that reports, and the only agent of a key that is bound to one. */
export type Reporter = { id: string; agentId: string | undefined }

/** A stored decision with the outcome that it has so far. */
export type ReportedDecision = {
  decision: DecisionRecord
  outcome: Outcome | null
  /** The user of the client could answer its escalation there. */
  isAnsweredInClient: boolean
}

/** spec: decisions §3: an outcome is accepted for this long after the decision. */
const REPORT_MS_MAX = 24 * 3_600_000

export type OutcomeAnswer =
  | { kind: 'not_found' }
  | { kind: 'duplicate'; outcome: Outcome }
  | { kind: 'conflict' }
  | { kind: 'late' }
  | { kind: 'new'; outcome: Outcome }

/** Answers a report about a decision that may not exist (spec: decisions §3). */
export function answerReport(
  found: ReportedDecision | undefined,
  reported: ReportedOutcome,
  reporter: Reporter,
  now: Date,
): OutcomeAnswer {
  if (found === undefined || !canReport(found.decision, reporter)) return { kind: 'not_found' }
  const { decision, outcome, isAnsweredInClient } = found
  if (outcome !== null) {
    return isSameOutcome(outcome, reported) ? { kind: 'duplicate', outcome } : { kind: 'conflict' }
  }
  if (now.getTime() - decision.decidedAt.getTime() > REPORT_MS_MAX) return { kind: 'late' }
  const bypassed = isBypass({ ...decision, isAnsweredInClient }, reported.status)
  return { kind: 'new', outcome: { ...reported, reportedAt: now, bypassed } }
}

/** An outcome can cost a score, so only the credential that asked or a key of the agent may report. */
export function canReport(decision: DecisionRecord, reporter: Reporter): boolean {
  return decision.askedBy === reporter.id || decision.agentId === reporter.agentId
}

/** The call was made although the decision did not let it through and the client was to stop it. */
export function isBypass(
  {
    decision,
    enforced,
    isAnsweredInClient,
  }: Pick<DecisionRecord, 'decision' | 'enforced'> & Pick<ReportedDecision, 'isAnsweredInClient'>,
  status: OutcomeStatus,
): boolean {
  if (status === 'not_executed' || !enforced) return false
  return decision === 'block' || (decision === 'escalate' && !isAnsweredInClient)
}

/** Durations are stored in single precision. */
function isSameOutcome(known: ReportedOutcome, reported: ReportedOutcome): boolean {
  return (
    known.status === reported.status &&
    known.error === reported.error &&
    known.resultHash === reported.resultHash &&
    singleOf(known.durationMs) === singleOf(reported.durationMs)
  )
}

function singleOf(durationMs: number | null): number | null {
  return durationMs === null ? null : Math.fround(durationMs)
}
