import type { LiveEvent } from '../session/event-buffer.ts'

export type NewEscalation = { escalationId: string; agentId: string; tool: string }

/**
 * The escalations in the events that are not known yet, oldest first. Calls that share a pending escalation
 * are one.
 */
export function newEscalations(
  events: readonly LiveEvent[],
  known: ReadonlySet<string>,
): NewEscalation[] {
  const found = new Map<string, NewEscalation>()
  for (const { type, data } of events.toReversed()) {
    const { escalation_id: escalationId, decision } = data
    if (type !== 'gateway.decision' || decision !== 'escalate') continue
    if (typeof escalationId !== 'string' || known.has(escalationId)) continue
    found.set(escalationId, {
      escalationId,
      agentId: String(data['agent_id'] ?? ''),
      tool: String(data['tool'] ?? ''),
    })
  }
  return [...found.values()]
}
