import type { Assessment, TeamAssessment } from './queries.ts'

type Recommendation = Assessment['recommendation'] | TeamAssessment['team_recommendation']

const RECOMMENDATIONS: Record<Recommendation, string> = {
  approve: 'Go ahead',
  review: 'Ask a person first',
  deny: 'Do not do it',
  approve_team: 'Go ahead as a team',
  approve_individuals_only: 'Let the agents work separately',
}

/** A recommendation in words; a code that this version of the page does not know stays as it is. */
export function recommendationText(code: string): string {
  return Object.entries(RECOMMENDATIONS).find(([known]) => known === code)?.[1] ?? code
}

const LARGEST_SHOWN = 3

/** The factors that add most to the risk, and recent violations if they add to it. */
export function riskSummary({
  contributing_factors: factors,
  breakdown,
}: Pick<Assessment, 'contributing_factors' | 'breakdown'>): string {
  const largest = factors
    .filter((factor) => factor.risk_contribution > 0)
    .toSorted((a, b) => b.risk_contribution - a.risk_contribution)
    .slice(0, LARGEST_SHOWN)
    .map(({ label }) => label)
  const first = largest.length === 0 ? 'No factor adds risk.' : `Most risk: ${largest.join(', ')}.`
  if (breakdown.recency === 0) return first
  return `${first} Recent violations raise the score.`
}

type Breaker = Assessment['circuit_breakers'][number] | TeamAssessment['circuit_breakers'][number]

const BREAKERS: Record<Breaker, { name: string; why: string }> = {
  agent_contained: { name: 'Agent stopped', why: 'It is paused or killed, so the answer is no.' },
  reputation_floor: { name: 'Score too low', why: 'Its score is below the floor.' },
  recent_critical_violation: {
    name: 'Critical violation',
    why: 'It had a critical violation in the last 24 hours.',
  },
  insufficient_history: {
    name: 'Too little history',
    why: 'It has fewer checkpoints than a score needs, so a person must review it.',
  },
  autonomy_limit: {
    name: 'Over its limit',
    why: 'The amount is above the limit that its card allows without a person.',
  },
  counterparty_contained: {
    name: 'Counterparty stopped',
    why: 'The other agent is paused or killed.',
  },
  counterparty_conflict: {
    name: 'Values in conflict',
    why: 'Its card and that of the other agent oppose each other.',
  },
  member_contained: { name: 'Member stopped', why: 'A member is paused or killed.' },
  member_reputation_floor: {
    name: 'Member’s score too low',
    why: 'The score of a member is below the floor.',
  },
  boundary_incompatible: {
    name: 'Boundaries do not overlap',
    why: 'The allowed actions of two members have almost nothing in common.',
  },
}

/** Why the score was overridden. */
export function breakerText(code: string): { name: string; why: string } {
  const known = Object.entries(BREAKERS).find(([one]) => one === code)?.[1]
  return known ?? { name: code, why: '' }
}

const SYNERGY: Readonly<Record<string, string>> = {
  synergistic: 'Together less risky than alone',
  neutral: 'About as risky as alone',
  'anti-synergistic': 'Together riskier than alone',
}

export function synergyText(code: string): string {
  return SYNERGY[code] ?? code
}
