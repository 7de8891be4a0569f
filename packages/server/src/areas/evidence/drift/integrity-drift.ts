import { STREAK_MIN } from '@touchstone/protocol/bundle'
import type { Severity } from './alert.ts'

/**
 * Integrity drift: a session with a streak of checkpoints that are not clear. It follows from the
 * verdicts in chain order, so an alert can be checked against the checkpoints it names.
 */
export type IntegrityStreak = {
  /** The length of the streak, the newest checkpoint included. */
  sustained: number
  /** The share of clear checkpoints in the window after the newest was added. */
  similarity: number
  /** The streak's concerns by category. */
  categories: Readonly<Record<string, number>>
}

/** Undefined if the streak is too short to count as drift. */
export function gradeStreak(
  streak: IntegrityStreak,
): { severity: Severity; direction: string } | undefined {
  if (streak.sustained < STREAK_MIN) return undefined
  return { severity: severityOf(streak.similarity), direction: directionOf(streak.categories) }
}

function severityOf(similarity: number): Severity {
  if (similarity >= 0.7) return 'low'
  return similarity >= 0.4 ? 'medium' : 'high'
}

const DIRECTION_OF: ReadonlyMap<string, string> = new Map([
  ['prompt_injection', 'injection_pattern'],
  ['output_injection_compliance', 'injection_pattern'],
  ['value_misalignment', 'value_erosion'],
  ['output_misalignment', 'value_erosion'],
  ['autonomy_violation', 'autonomy_creep'],
  ['deceptive_reasoning', 'deception_pattern'],
  ['reasoning_corruption', 'reasoning_degradation'],
  ['undeclared_intent', 'intent_drift'],
])

/** One category must make up more than half; related categories are not added up. */
function directionOf(categories: IntegrityStreak['categories']): string {
  const counts = Object.entries(categories)
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const main = counts.find(([, count]) => count > total / 2)
  return DIRECTION_OF.get(main?.[0] ?? '') ?? 'unknown'
}
