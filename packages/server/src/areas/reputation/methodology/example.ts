import {
  componentScores,
  describeUncertainty,
  type RatedComponent,
  rate,
  type ScoreInput,
  type Uncertainty,
  type Violation,
} from '@touchstone/protocol/score'

const HOUR_MS = 3_600_000
const DAY_HOURS = 24

/** Worked example A (spec: reputation §1). `nowMs` is 0, so a timestamp is a negated age. */
const EXAMPLE: ScoreInput = {
  nowMs: 0,
  checkpoints: { scored: 120, clear: 114, excluded: 0 },
  violations: [violation('s7', 24), violation('s3', 200)],
  sessions: { total: 10, unstable: 1 },
  tracesVerified: 96,
  peers: { count: 3, pairScoreE4Sum: 8200 + 6400 + 9100 },
  adjustmentE4: 0,
}

export type WorkedExample = {
  score: number
  grade: string
  tier: string
  confidence: string
  components: readonly RatedComponent[]
  uncertainty: Uncertainty
}

/** Computed with the production formula, so the page cannot go out of date. */
export function workedExample(): WorkedExample {
  const rated = rate(EXAMPLE)
  const uncertainty = describeUncertainty(EXAMPLE, {
    nonClearIds: [],
    violationIds: [],
    unstableSessionIds: [],
    lowestPeerIds: [],
    lowNoveltyIds: [],
  })
  if (!rated.isEligible || uncertainty === undefined)
    throw new Error('the worked example has too few checkpoints to be rated')
  return { ...rated, uncertainty }
}

/** Compliance after one violation of the given age in each of `sessions` sessions. */
export function complianceOf(sessions: number, ageDays: number): number {
  const violations = Array.from({ length: sessions }, (_, i) => {
    return violation(`s${i}`, ageDays * DAY_HOURS)
  })
  return componentScores({ ...EXAMPLE, violations }).compliance
}

function violation(sessionId: string, ageHours: number): Violation {
  return { sessionId, timestampMs: -ageHours * HOUR_MS, cardGap: false }
}
