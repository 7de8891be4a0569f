import type { Escalation } from './escalation.ts'

/** spec: platform §5.3. */
const TEXT_LENGTH_MAX = 2000

/** The policy findings in an event: counts, and the names of the violating tools. */
export type PolicyFindings = {
  verdict: string
  violations: number
  warnings: number
  policy_id: string | null
  policy_version: number | null
  tools: readonly string[]
}

/** Uses the shape of trace events. No trace exists before the call, so its fields are null. */
export function escalationEvent(
  escalation: Escalation,
  { policy, approveUrl }: { policy: PolicyFindings | null; approveUrl: string },
) {
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
        escalation: {
          required: true,
          reason,
          triggered: true,
          escalation_id: escalation.escalationId,
          decision_id: escalation.decisionId,
          tool: escalation.tool,
          approve_url: approveUrl,
        },
        policy,
      },
    },
  } as const
}

export function resolvedEvent(escalation: Escalation, status: 'approved' | 'rejected') {
  return {
    type: 'escalation.resolved',
    data: {
      escalation_id: escalation.escalationId,
      decision_id: escalation.decisionId,
      agent_id: escalation.agentId,
      session_id: escalation.sessionId,
      tool: escalation.tool,
      status,
      resolved_by: escalation.resolvedBy ?? '',
    },
  } as const
}
