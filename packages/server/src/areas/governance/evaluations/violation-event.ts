import { hashCanonical } from '@touchstone/protocol/crypto'
import { findingsOf, type JudgedCall } from './judged-call.ts'

/** spec: governance §2.4: equal violations of an agent emit at most one event in this time. */
export const VIOLATION_EVENT_INTERVAL_MS = 60_000

/** The facts that make two violations equal, and the time. */
export type Violation = {
  agentId: string
  /** 0 without a policy. */
  policyVersion: number
  toolsHash: string
  at: Date
}

/** The hash ignores the order of the tools. */
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

/** Uses the shape of trace events. No trace exists before the call, so its fields are null. */
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
