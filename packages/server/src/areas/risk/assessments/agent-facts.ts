import type { AlignmentCard } from '@touchstone/protocol/cards'
import {
  type Counterparty,
  RISK_VIOLATION_DAYS_END,
  type RiskSubject,
  type TeamMember,
} from '@touchstone/protocol/risk'
import type { ComponentScores } from '@touchstone/protocol/score'

const DAY_MS = 86_400_000

/** The state of an agent of any organisation at one moment. */
export type AgentFacts = {
  agentId: string
  orgId: string
  visibility: 'public' | 'unlisted' | 'private'
  archived: boolean
  contained: boolean
  /** The current version, even if expired. */
  card: AlignmentCard | undefined
  analysedCheckpoints: number
  /** Hex; null without analysed checkpoints. */
  merkleRoot: string | null
  /** Undefined without analysed checkpoints. */
  reputation: { score: number | null; components: ComponentScores } | undefined
  violations: readonly {
    severity: RiskSubject['violations'][number]['severity']
    timestampMs: number
  }[]
  /** UTC dates with a violation within the last 90 days. */
  violationDates: readonly string[]
}

/** An organisation's own agents, and those of others, or all without one, unless private or archived. */
export function isKnownTo(orgId: string | undefined, facts: AgentFacts): boolean {
  return facts.orgId === orgId || (facts.visibility !== 'private' && !facts.archived)
}

/** The neutral score, for agents without analysed checkpoints. */
const UNKNOWN: ComponentScores = {
  integrity_ratio: 500,
  compliance: 500,
  drift_stability: 500,
  trace_completeness: 500,
  coherence_compatibility: 500,
}

/** An agent with fewer analysed checkpoints has no reputation. */
const REPUTATION_CHECKPOINTS_MIN = 50

export function subjectOf(facts: AgentFacts, now: Date): RiskSubject {
  const { analysedCheckpoints, reputation } = facts
  return {
    analysedCheckpoints,
    reputation: reputationOf(facts),
    components: analysedCheckpoints === 0 ? UNKNOWN : (reputation?.components ?? UNKNOWN),
    violations: facts.violations
      .map(({ severity, timestampMs }) => ({ severity, days: daysSince(timestampMs, now) }))
      .filter(({ days }) => days < RISK_VIOLATION_DAYS_END),
    contained: facts.contained,
  }
}

function reputationOf({ analysedCheckpoints, reputation }: AgentFacts): number | null {
  return analysedCheckpoints >= REPUTATION_CHECKPOINTS_MIN ? (reputation?.score ?? null) : null
}

/** At least 0, because the clock of a checkpoint may be slightly ahead. */
function daysSince(timestampMs: number, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - timestampMs) / DAY_MS))
}

export function memberOf(facts: AgentFacts, now: Date): TeamMember {
  return {
    ...subjectOf(facts, now),
    agentId: facts.agentId,
    card: cardInForce(facts.card, now),
    violationDates: facts.violationDates,
  }
}

/** Null for an expired card. */
export function cardInForce(card: AlignmentCard | undefined, now: Date): AlignmentCard | null {
  if (card === undefined) return null
  const isExpired = card.expires_at !== undefined && Date.parse(card.expires_at) <= now.getTime()
  return isExpired ? null : card
}

/** `facts` is undefined if the agent does not exist or is hidden from the caller. */
export function counterpartyOf(
  facts: AgentFacts | undefined,
  { agent, now }: { agent: AgentFacts; now: Date },
): Counterparty {
  if (facts === undefined)
    return { kind: 'unrated', score: null, conflict: false, contained: false }
  const score = reputationOf(facts)
  const { contained } = facts
  const conflict = cardsConflict(cardInForce(agent.card, now), cardInForce(facts.card, now))
  return score === null
    ? { kind: 'unrated', score, conflict, contained }
    : { kind: 'rated', score, conflict, contained }
}

function cardsConflict(a: AlignmentCard | null, b: AlignmentCard | null): boolean {
  return a !== null && b !== null && (opposes(a, b) || opposes(b, a))
}

function opposes(a: AlignmentCard, b: AlignmentCard): boolean {
  const { conflicts_with: opposed = [] } = a.values
  return opposed.some((value) => b.values.declared.includes(value))
}
