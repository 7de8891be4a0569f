import type { Escalation } from './escalation.ts'

/** spec: platform §5.3. */
const TEXT_LENGTH_MAX = 2000

/** What the policy found, as an event tells it: counts, and the names of the violating tools. */
export type PolicyFindings = {
  verdict: string
  violations: number
  warnings: number
  policy_id: string | null
  policy_version: number | null
  tools: readonly string[]
}

/** There is no trace yet, only the wish to call; so all that a trace tells of itself is null. */
export function escalationEvent(escalation: Escalation, policy: PolicyFindings | null) {
  const reason = [...escalation.reason].slice(0, TEXT_LENGTH_MAX).join('')
  return {
    type: 'trace.escalation_required',
    data: {
      all_events: ['trace.escalation_required'],
      trace: {
        trace_id: null,
        agent_id: escalation.agentId,
        session_id: escalation.sessionId,
        action: null,
        decision: null,
        verification: null,
        escalation: { required: true, reason, triggered: true },
        policy,
      },
    },
  } as const
}
