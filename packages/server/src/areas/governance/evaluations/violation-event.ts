import { hashCanonical } from '@touchstone/protocol/crypto'
import { findingsOf, type JudgedCall } from './judged-call.ts'

/** spec: governance §2.4: the same violation of the same agent is told at most once in this time. */
export const TOLD_AGAIN_MS = 60_000

/** A violation with what makes it the same as another one. */
export type Violation = {
  agentId: string
  /** 0 where no policy holds. */
  policyVersion: number
  toolsHash: string
  at: Date
}

/** The order in which tools were asked about makes no difference. */
export function violationOf(judged: JudgedCall): Violation {
  const { tools } = findingsOf(judged)
  return {
    agentId: judged.agentId,
    policyVersion: judged.policyVersion ?? 0,
    toolsHash: hashCanonical([...tools].sort()),
    at: judged.evaluatedAt,
  }
}

export function sameViolation(a: Omit<Violation, 'at'>, b: Omit<Violation, 'at'>): boolean {
  return (
    a.agentId === b.agentId && a.policyVersion === b.policyVersion && a.toolsHash === b.toolsHash
  )
}

/** In the envelope of traces, though there is none: the call was judged before it was made. */
export function violationEvent(judged: JudgedCall, sessionId: string | null) {
  return {
    type: 'policy.violation',
    data: {
      all_events: ['policy.violation'],
      trace: {
        trace_id: null,
        agent_id: judged.agentId,
        session_id: sessionId,
        action: null,
        decision: null,
        verification: null,
        escalation: null,
        policy: findingsOf(judged),
      },
    },
  } as const
}
