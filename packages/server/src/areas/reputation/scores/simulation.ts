import {
  type Rated,
  rate,
  type ScoreInput,
  type Unrated,
  type Violation,
} from '@touchstone/protocol/score'

const DAY_MS = 86_400_000

/** What might happen to an agent. */
export type Hypothesis = {
  add: { clear: number; reviewNeeded: number; boundaryViolation: number; traces: number }
  /** Checkpoints taken as gaps of the card. */
  cardGapIds: readonly string[]
  /** Days that pass afterwards without anything else. */
  advanceDays: number
}

/** What is left when those checkpoints are taken for gaps of the card. */
export type WithoutGaps = {
  violations: readonly Violation[]
  /** How many unstable sessions would be stable. */
  regained: number
}

/**
 * The same evidence after all that, rated by the same rule. Every added violation is taken to
 * happen now in a short session of its own, which is the worst that so many can do.
 */
export function simulate(
  input: ScoreInput,
  hypothesis: Hypothesis,
  left: WithoutGaps,
): Rated | Unrated {
  return rate(imagine(input, hypothesis, left))
}

function imagine(input: ScoreInput, hypothesis: Hypothesis, left: WithoutGaps): ScoreInput {
  const { add, advanceDays } = hypothesis
  const imagined = Array.from({ length: add.boundaryViolation }, (_, i) => ({
    sessionId: `imagined-${i}`,
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
    violations: [...left.violations, ...imagined],
    sessions: { total, unstable: unstable - left.regained },
    tracesStored: input.tracesStored + add.traces,
  }
}
