import '../../kernel/events.ts'

/** Events of checkpoints, drift and traces (spec: platform §5.3). */
type IntegrityData = {
  checkpoint_id: string
  agent_id: string
  session_id: string
  verdict: string
  concerns: readonly { category: string; severity: string; description: string }[]
  reasoning_summary: string
  synthetic: boolean
}

/** Violations and warnings are counts; tools are the names of those in violation (spec: governance §2.4). */
type PolicyFindings = {
  verdict: string
  violations: number
  warnings: number
  policy_id: string | null
  policy_version: number | null
  tools: readonly string[]
}

/** The type of such an event is the most specific one in `all_events`. */
type TraceData = {
  all_events: readonly string[]
  trace: {
    /** Null, like every field that only a trace has, for a call that was judged before it was made. */
    trace_id: string | null
    agent_id: string
    session_id: string | null
    action: { type: string; name: string; category: string } | null
    decision: {
      reasoning: string
      alternatives_count: number
      values_applied: readonly string[]
    } | null
    verification: {
      verified: boolean
      violations: readonly string[]
      warnings: readonly string[]
      similarity_score: number
    } | null
    escalation: {
      required: boolean
      reason: string
      triggered: boolean
      /** Only in events of the gateway, as the next three. */
      escalation_id?: string
      decision_id?: string | null
      tool?: string
      approve_url?: string
    } | null
    policy: PolicyFindings | null
  }
}

declare module '../../kernel/events.ts' {
  interface EventData {
    'integrity.checkpoint': IntegrityData
    'integrity.violation': IntegrityData & {
      violation_type: string | null
      recommended_action: string
    }
    'conscience.escalation': {
      checkpoint_id: string
      agent_id: string
      session_id: string
      verdict: string
      conflicts: readonly { value: string; description: string }[]
    }
    'drift.detected': {
      alert_id: string
      agent_id: string
      session_id: string
      kind: 'integrity' | 'trace'
      severity: 'low' | 'medium' | 'high'
      drift_direction: string
      similarity: number
      sustained_checks: number
      message: string
    }
    'drift.resolved': {
      alert_id: string
      agent_id: string
      org_id: string
      resolution: 'acknowledged' | 'recovered'
      acknowledged_by: string | null
    }
    'trace.created': TraceData
    'trace.verified': TraceData
    'trace.failed': TraceData
  }
}
