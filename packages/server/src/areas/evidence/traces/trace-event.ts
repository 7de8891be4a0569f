import type { Trace, TracePolicy } from './trace.ts'
import type { Verification } from './verify-trace.ts'

/** spec: platform §5.3. */
const TEXT_LENGTH_MAX = 2000

type TraceEventType =
  | 'trace.created'
  | 'trace.verified'
  | 'trace.failed'
  | 'trace.escalation_required'
  | 'policy.violation'

/** All event types that apply to a new trace, the most specific last (spec: evidence §7). */
function eventsOf(
  trace: Trace,
  verification: Verification,
  policy: TracePolicy | null,
): TraceEventType[] {
  const due =
    trace.escalation?.required === true || verification.violations.includes('MISSED_ESCALATION')
  return [
    'trace.created',
    verification.verified ? 'trace.verified' : 'trace.failed',
    ...(due ? (['trace.escalation_required'] as const) : []),
    ...(policy?.verdict === 'fail' ? (['policy.violation'] as const) : []),
  ]
}

/** One event per trace, named by its most specific type; subscribers to any of its types get it. */
export function traceEvent(trace: Trace, verification: Verification, policy: TracePolicy | null) {
  const events = eventsOf(trace, verification, policy)
  const { type, name, category } = trace.action
  const { decision, escalation } = trace
  return {
    type: events.at(-1) ?? 'trace.created',
    data: {
      all_events: events,
      trace: {
        trace_id: trace.trace_id,
        agent_id: trace.agent_id,
        session_id: String(trace.context?.['session_id'] ?? ''),
        action: { type, name, category },
        decision: {
          reasoning: truncate(decision.selection_reasoning),
          alternatives_count: decision.alternatives_considered?.length ?? 0,
          values_applied: decision.values_applied.map(truncate),
        },
        verification: {
          verified: verification.verified,
          violations: verification.violations,
          warnings: verification.warnings.map((warning) => warning.type),
          similarity_score: verification.similarity_score,
        },
        escalation:
          escalation === undefined
            ? null
            : {
                required: escalation.required,
                reason: truncate(escalation.reason),
                triggered: escalation.escalation_status !== undefined,
              },
        policy,
      },
    },
  }
}

/** Truncates by code points, so that no surrogate pair is split. */
function truncate(text: string): string {
  return text.length <= TEXT_LENGTH_MAX ? text : [...text].slice(0, TEXT_LENGTH_MAX).join('')
}
