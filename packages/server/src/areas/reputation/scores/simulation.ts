import {
  type Rated,
  rate,
  type ScoreInput,
  type Unrated,
  type Violation,
} from '@touchstone/protocol/score'

const DAY_MS = 86_400_000

/** Hypothetical events. */
export type Hypothesis = {
  add: { clear: number; reviewNeeded: number; boundaryViolation: number; traces: number }
  /** Checkpoints to treat as card gaps. */
  cardGapIds: readonly string[]
  /** Days that pass afterwards without further events. */
  advanceDays: number
}

/** The evidence that remains when the given checkpoints are treated as card gaps. */
export type WithoutGaps = {
  violations: readonly Violation[]
  /** Number of unstable sessions that would become stable. */
  regained: number
}

/**
 * Rates the evidence as it would be after the hypothetical events, with the production formula.
 * Every added violation happens now in a separate short session: the worst case for that number.
 */
export function simulate(
  input: ScoreInput,
  hypothesis: Hypothesis,
  remaining: WithoutGaps,
): Rated | Unrated {
  return rate(applyHypothesis(input, hypothesis, remaining))
}

function applyHypothesis(
  input: ScoreInput,
  hypothesis: Hypothesis,
  remaining: WithoutGaps,
): ScoreInput {
  const { add, advanceDays } = hypothesis
  const added = Array.from({ length: add.boundaryViolation }, (_, i) => ({
    sessionId: `simulated-${i}`,
    timestampMs: input.nowMs,
    cardGap: false,
  }))
  const { scored, clear, excluded } = input.checkpoints
  const { total, unstable } = input.sessions
  return {
    ...input,
    nowMs: input.nowMs + advanceDays * DAY_MS,
    checkpoints: {
      scored: scored + add.clear + add.reviewNeeded + add.boundaryViolation,
      clear: clear + add.clear,
      excluded,
    },
    violations: [...remaining.violations, ...added],
    sessions: { total, unstable: unstable - remaining.regained },
    tracesVerified: input.tracesVerified + add.traces,
  }
}
