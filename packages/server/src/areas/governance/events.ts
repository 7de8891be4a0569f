import '../../kernel/events.ts'

/** The decision that an event is about (spec: decisions §5). */
type DecisionData = {
  decision_id: string
  agent_id: string
  session_id: string | null
  tool: string
  decision: string
  reasons: readonly {
    code: string
    source: string
    tool: string
    message: string
    severity: string | null
  }[]
  policy_id: string | null
  policy_version: number | null
  escalation_id: string | null
}

/**
 * Events of decisions. The first two are in the shape of trace events (spec: platform §5.3).
 */
declare module '../../kernel/events.ts' {
  interface EventData {
    'trace.escalation_required': EventData['trace.created']
    'policy.violation': EventData['trace.created']
    'decision.blocked': DecisionData & { count: number }
    'decision.escalated': DecisionData
    'decision.bypassed': DecisionData & {
      outcome: 'executed' | 'failed'
      checkpoint_id: string | null
    }
    'escalation.resolved': {
      escalation_id: string
      decision_id: string | null
      agent_id: string
      session_id: string | null
      tool: string
      status: 'approved' | 'rejected'
      resolved_by: string
    }
  }
}
