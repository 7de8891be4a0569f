import type { AlignmentCard } from '@touchstone/protocol/cards'
import {
  type Counterparty,
  RISK_VIOLATION_DAYS_END,
  type RiskSubject,
  type TeamMember,
} from '@touchstone/protocol/risk'
import { COMPONENTS, type ComponentScores } from '@touchstone/protocol/score'

const DAY_MS = 86_400_000

/** What was read of an agent at one moment, whosever it is. */
export type AgentFacts = {
  agentId: string
  orgId: string
  visibility: 'public' | 'unlisted' | 'private'
  archived: boolean
  contained: boolean
  /** The one in force, expired or not. */
  card: AlignmentCard | undefined
  analysedCheckpoints: number
  /** Hex; null while nothing was analysed. */
  merkleRoot: string | null
  /** Absent while nothing was analysed. */
  standing: { score: number | null; components: ComponentScores } | undefined
  violations: readonly {
    severity: RiskSubject['violations'][number]['severity']
    timestampMs: number
  }[]
  /** UTC days of the last 90 with a violation. */
  violationDates: readonly string[]
}

/** One's own agents, and those of others that are no secret. */
export function isKnownTo(orgId: string, facts: AgentFacts): boolean {
  return facts.orgId === orgId || (facts.visibility !== 'private' && !facts.archived)
}

/** Nothing is known of an agent without a checkpoint, for better or worse. */
const UNKNOWN = Object.fromEntries(COMPONENTS.map(({ key }) => [key, 500])) as ComponentScores

/** From so many checkpoints on an agent has a reputation. */
const REPUTATION_CHECKPOINTS_MIN = 50

export function subjectOf(facts: AgentFacts, now: Date): RiskSubject {
  const { analysedCheckpoints, standing } = facts
  return {
    analysedCheckpoints,
    reputation: reputationOf(facts),
    components: analysedCheckpoints === 0 ? UNKNOWN : (standing?.components ?? UNKNOWN),
    violations: facts.violations
      .map(({ severity, timestampMs }) => ({ severity, days: daysSince(timestampMs, now) }))
      .filter(({ days }) => days < RISK_VIOLATION_DAYS_END),
    contained: facts.contained,
  }
}

function reputationOf({ analysedCheckpoints, standing }: AgentFacts): number | null {
  return analysedCheckpoints >= REPUTATION_CHECKPOINTS_MIN ? (standing?.score ?? null) : null
}

/** A checkpoint may be a little ahead of this clock. */
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

/** An expired card says nothing any more. */
export function cardInForce(card: AlignmentCard | undefined, now: Date): AlignmentCard | null {
  if (card === undefined) return null
  const isOver = card.expires_at !== undefined && Date.parse(card.expires_at) <= now.getTime()
  return isOver ? null : card
}

/** Undefined stands for an id that is nobody's, or that the caller may not know of. */
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
