import {
  type AlignmentCard,
  actionName,
  type EscalationTrigger,
  TAMPER_EVIDENCE,
} from '../cards/card.ts'
import { compareCodePoints } from '../score/directory-order.ts'

/** A team card needs at least this many member cards. */
export const TEAM_CARDS_MIN = 2

export type DerivedTeamCard = {
  card: AlignmentCard
  /** Values that one member opposes and another declares, sorted: a team cannot oppose itself. */
  droppedConflicts: readonly string[]
}

/**
 * Derives a team's card from its members' cards. If the first definition wins, the order is by
 * agent id.
 */
export function deriveTeamCard(
  memberCards: readonly AlignmentCard[],
  team: { teamId: string; orgId: string; issuedAt: Date },
): DerivedTeamCard {
  const cards = memberCards.toSorted((a, b) => compareCodePoints(a.agent_id, b.agent_id))
  const declared = declaredByMost(cards)
  const opposed = sortedUnion(cards.map(({ values }) => values.conflicts_with ?? []))
  const definitions = definitionsOf(cards)
  return {
    card: {
      aap_version: '0.5.0',
      agent_id: team.teamId,
      issued_at: team.issuedAt.toISOString(),
      principal: {
        type: 'organization',
        relationship: 'delegated_authority',
        identifier: team.orgId,
      },
      values: {
        declared,
        conflicts_with: opposed.filter((value) => !declared.includes(value)),
        ...(Object.keys(definitions).length > 0 && { definitions }),
        // Members with different orders of values have no common order.
        hierarchy: sameOf(cards.map(({ values }) => values.hierarchy)) ?? 'contextual',
      },
      autonomy_envelope: envelopeOf(cards.map((card) => card.autonomy_envelope)),
      audit_commitment: auditOf(cards.map((card) => card.audit_commitment)),
    },
    droppedConflicts: opposed.filter((value) => declared.includes(value)),
  }
}

function declaredByMost(cards: readonly AlignmentCard[]): string[] {
  const counts = new Map<string, number>()
  for (const { values } of cards) {
    for (const value of new Set(values.declared)) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts]
    .sort(([a, countA], [b, countB]) => countB - countA || compareCodePoints(a, b))
    .map(([value]) => value)
}

type Definitions = NonNullable<AlignmentCard['values']['definitions']>

function definitionsOf(cards: readonly AlignmentCard[]): Definitions {
  const all = cards.flatMap(({ values }) => Object.entries(values.definitions ?? {}))
  // The last entry per name wins, so the first member comes last.
  return Object.fromEntries(all.toReversed())
}

type Envelope = AlignmentCard['autonomy_envelope']

/** Whatever one member may not do, the team may not do. */
function envelopeOf(envelopes: readonly Envelope[]): Envelope {
  const forbidden = sortedUnion(envelopes.map((own) => own.forbidden_actions ?? []))
  const forbiddenNames = new Set(forbidden.map((entry) => actionName(entry)))
  const bounded = sortedUnion(envelopes.map((own) => own.bounded_actions))
  const limit = smallestLimit(envelopes.flatMap((own) => own.max_autonomous_value ?? []))
  return {
    bounded_actions: bounded.filter((entry) => !forbiddenNames.has(actionName(entry))),
    forbidden_actions: forbidden,
    escalation_triggers: triggersOf(envelopes.flatMap((own) => own.escalation_triggers ?? [])),
    ...(limit !== undefined && { max_autonomous_value: limit }),
  }
}

function triggersOf(triggers: readonly EscalationTrigger[]): EscalationTrigger[] {
  const known = new Map<string, EscalationTrigger>()
  for (const trigger of triggers) {
    const key = JSON.stringify([trigger.condition, trigger.action])
    if (!known.has(key)) known.set(key, trigger)
  }
  return [...known.values()].sort(
    (a, b) => compareCodePoints(a.condition, b.condition) || compareCodePoints(a.action, b.action),
  )
}

type Limit = NonNullable<Envelope['max_autonomous_value']>

/** Amounts in different currencies cannot be compared. */
function smallestLimit(limits: readonly Limit[]): Limit | undefined {
  const currency = sameOf(limits.map((limit) => limit.currency))
  if (currency === undefined) return
  return { amount: Math.min(...limits.map(({ amount }) => amount)), currency }
}

type Audit = AlignmentCard['audit_commitment']

/**
 * A team retains audit records as long as the longest member, and proves as much as the weakest.
 */
function auditOf(audits: readonly Audit[]): Audit {
  const evidence = weakestEvidence(audits)
  return {
    trace_format: sameOf(audits.map(({ trace_format }) => trace_format)) ?? 'ap-trace-v1',
    retention_days: Math.max(...audits.map(({ retention_days }) => retention_days)),
    queryable: audits.every(({ queryable }) => queryable),
    ...(evidence !== undefined && { tamper_evidence: evidence }),
  }
}

/** The options are listed weakest first; a team promises one only if all members do. */
function weakestEvidence(audits: readonly Audit[]): Audit['tamper_evidence'] {
  const stated = audits.flatMap(({ tamper_evidence }) => tamper_evidence ?? [])
  if (stated.length < audits.length) return
  return TAMPER_EVIDENCE.find((evidence) => stated.includes(evidence))
}

function sameOf<Value>(values: readonly Value[]): Value | undefined {
  return new Set(values).size === 1 ? values[0] : undefined
}

function sortedUnion(lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].sort(compareCodePoints)
}
