import type { Checkpoint } from '../agents/queries.ts'
import type { Decision } from './queries.ts'

/** Something that happened in a session. */
export type Moment =
  | { kind: 'decision'; key: string; at: string; decision: Decision }
  | { kind: 'outcome'; key: string; at: string; decision: Decision }
  | { kind: 'checkpoint'; key: string; at: string; checkpoint: Checkpoint }

const ORDER = { checkpoint: 0, decision: 1, outcome: 2 } as const

/** The decisions, their outcomes and the checkpoints of a session, oldest first. */
export function timelineOf(
  decisions: readonly Decision[],
  checkpoints: readonly Checkpoint[],
): Moment[] {
  const moments: Moment[] = [
    ...decisions.flatMap(momentsOf),
    ...checkpoints.map((checkpoint) => ({
      kind: 'checkpoint' as const,
      key: checkpoint.checkpoint_id,
      at: checkpoint.timestamp,
      checkpoint,
    })),
  ]
  const unique = [...new Map(moments.map((moment) => [moment.key, moment])).values()]
  return unique.sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || ORDER[a.kind] - ORDER[b.kind])
}

function momentsOf(decision: Decision): Moment[] {
  const { decision_id: id, decided_at: decidedAt, outcome } = decision
  const made: Moment = { kind: 'decision', key: id, at: decidedAt, decision }
  if (outcome === null) return [made]
  return [made, { kind: 'outcome', key: `${id} outcome`, at: outcome.reported_at, decision }]
}
