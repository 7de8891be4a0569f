import { recommend } from '@touchstone/protocol/analysis'
import type { NewEvent } from '../../../kernel/events.ts'
import { type Checkpoint, isSynthetic } from './checkpoint.ts'
import type { Org } from './ports.ts'

/** What a stored checkpoint makes known (01 §8), in the order in which it is told. */
export function eventsOf(checkpoint: Checkpoint, { orgId, accountId }: Org): NewEvent[] {
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
  const events: NewEvent[] = [{ orgId, accountId, type: 'integrity.checkpoint', data }]
  if (verdict === 'boundary_violation' && !isSynthetic(checkpoint)) {
    const violated = {
      ...data,
      violation_type: checkpoint.violationType,
      recommended_action: recommend(verdict, concerns).recommendedAction,
    }
    events.push({ orgId, accountId, type: 'integrity.violation', data: violated })
  }
  const conflicts = conscienceContext.conflicts.map((value) => ({
    value,
    description:
      concerns.find((concern) => concern.relevant_conscience_value === value)?.description ?? '',
  }))
  if (conflicts.length > 0) {
    const { checkpoint_id, agent_id, session_id } = data
    const escalated = { checkpoint_id, agent_id, session_id, verdict, conflicts }
    events.push({ orgId, accountId, type: 'conscience.escalation', data: escalated })
  }
  return events
}
