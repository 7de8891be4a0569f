import '../../kernel/events.ts'

/** Events of decisions, in the shape of trace events (spec: platform §5.3). */
declare module '../../kernel/events.ts' {
  interface EventData {
    'trace.escalation_required': EventData['trace.created']
    'policy.violation': EventData['trace.created']
  }
}
