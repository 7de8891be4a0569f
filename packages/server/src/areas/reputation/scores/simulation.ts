import { type Rated, rate, type ScoreInput, type Unrated } from '@touchstone/protocol'

const DAY_MS = 86_400_000

/** What might happen to an agent. */
export type Hypothesis = {
  add: { clear: number; reviewNeeded: number; boundaryViolation: number; traces: number }
  /** Checkpoints taken as gaps of the card. */
  cardGapIds: readonly string[]
  /** Days that pass afterwards without anything else. */
  advanceDays: number
}

/** How many unstable sessions would be stable, were these checkpoints gaps of the card. */
export type Regained = { sessions: number }

/**
 * The same evidence after all that, rated by the same rule. Every added violation is taken to
 * happen now in a short session of its own, which is the worst that so many can do.
 */
export function simulate(
  input: ScoreInput,
  hypothesis: Hypothesis,
  regained: Regained,
): Rated | Unrated {
  return rate(imagine(input, hypothesis, regained))
}

function imagine(input: ScoreInput, { add, ...rest }: Hypothesis, regained: Regained): ScoreInput {
  const gaps = new Set(rest.cardGapIds)
  const imagined = Array.from({ length: add.boundaryViolation }, (_, i) => ({
    id: `imagined-${i}`,
    sessionId: `imagined-${i}`,
    timestampMs: input.nowMs,
    cardGap: false,
  }))
  const known = input.violations.map((one) => (gaps.has(one.id) ? { ...one, cardGap: true } : one))
  const { scored, clear, excluded } = input.checkpoints
  const { total, unstable } = input.sessions
  return {
    ...input,
    nowMs: input.nowMs + rest.advanceDays * DAY_MS,
    checkpoints: {
      scored: scored + add.clear + add.reviewNeeded + add.boundaryViolation,
      clear: clear + add.clear,
      excluded,
    },
    violations: [...known, ...imagined],
    sessions: { total, unstable: unstable - regained.sessions },
    tracesStored: input.tracesStored + add.traces,
  }
}
