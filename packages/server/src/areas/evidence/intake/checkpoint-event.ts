import { recommend } from '@touchstone/protocol/analysis'
import { type Checkpoint, isSynthetic } from '@touchstone/protocol/evidence'

/** The events of a stored checkpoint, in the order in which they are emitted (spec: evidence §7). */
export function eventsOf(checkpoint: Checkpoint) {
  const { verdict, concerns, conscienceContext } = checkpoint
  const data = {
    checkpoint_id: checkpoint.checkpointId,
    agent_id: checkpoint.agentId,
    session_id: checkpoint.sessionId,
    verdict,
    concerns: concerns.map(({ category, severity, description }) => ({
      category,
      severity,
      description,
    })),
    reasoning_summary: checkpoint.reasoningSummary,
    synthetic: isSynthetic(checkpoint),
  }
  const violated = verdict === 'boundary_violation' && !isSynthetic(checkpoint)
  const conflicts = conscienceContext.conflicts.map((value) => ({
    value,
    description:
      concerns.find((concern) => concern.relevant_conscience_value === value)?.description ?? '',
  }))
  return [
    { type: 'integrity.checkpoint' as const, data },
    ...(violated
      ? [
          {
            type: 'integrity.violation' as const,
            data: {
              ...data,
              violation_type: checkpoint.violationType,
              recommended_action: recommend(verdict, concerns).recommendedAction,
            },
          },
        ]
      : []),
    ...(conflicts.length > 0
      ? [{ type: 'conscience.escalation' as const, data: toEscalation(data, conflicts) }]
      : []),
  ]
}

function toEscalation<Conflict>(
  about: { checkpoint_id: string; agent_id: string; session_id: string; verdict: string },
  conflicts: readonly Conflict[],
) {
  const { checkpoint_id, agent_id, session_id, verdict } = about
  return { checkpoint_id, agent_id, session_id, verdict, conflicts }
}
