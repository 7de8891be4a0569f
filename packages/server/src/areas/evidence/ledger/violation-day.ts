import { type Checkpoint, isSynthetic } from '@touchstone/protocol/evidence'

/** The number of violations of an agent on one UTC day of decisions. */
export type ViolationDay = { agentId: string; day: string; violations: number }

/** Violations (spec: control §1.1) by agent and day, in an order in which rows can be locked. */
export function violationDaysOf(added: readonly { checkpoint: Checkpoint }[]): ViolationDay[] {
  const days = new Map<string, ViolationDay>()
  for (const { checkpoint } of added) {
    const { agentId, timestamp, violationType } = checkpoint
    if (violationType === null || isSynthetic(checkpoint)) continue
    const day = timestamp.toISOString().slice(0, 10)
    const key = `${agentId} ${day}`
    days.set(key, { agentId, day, violations: (days.get(key)?.violations ?? 0) + 1 })
  }
  return [...days.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day)
}
