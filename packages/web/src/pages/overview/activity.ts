import type { LiveEvent } from '../../session/event-buffer.ts'
import { type DecisionRow, mergeLive } from '../decisions/live-decisions.ts'

/** A line of the live activity. */
export type Activity =
  | { kind: 'decision'; key: string; at: string; row: DecisionRow }
  | { kind: 'event'; key: string; at: string; event: LiveEvent }

export const ACTIVITY_MAX = 50

/**
 * A trace emits trace.created, then trace.verified or trace.failed; only the outcome is shown. A
 * refused call is already shown as its decision.
 */
const HIDDEN_TYPES: ReadonlySet<string> = new Set([
  'gateway.decision',
  'trace.created',
  'decision.blocked',
  'decision.escalated',
])

/** The latest decisions and what the stream has sent since, newest first. */
export function activityOf(
  decisions: readonly DecisionRow[],
  events: readonly LiveEvent[],
): Activity[] {
  const lines: Activity[] = [
    ...mergeLive(decisions, events, {}).map((row) => ({
      kind: 'decision' as const,
      key: row.decision_id,
      at: row.decided_at,
      row,
    })),
    ...events
      .filter(({ type }) => !HIDDEN_TYPES.has(type))
      .map((event) => ({ kind: 'event' as const, key: event.key, at: event.at, event })),
  ]
  return lines.sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, ACTIVITY_MAX)
}
