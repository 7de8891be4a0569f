import type { AlignmentCard } from '../cards/card.ts'
import { sha256Hex } from '../crypto/hash.ts'
import { SEVERITIES, type Severity } from '../policy/policy.ts'
import type { ValueHolder } from '../risk/coherence.ts'
import { isDivided, type ValueStance, valueStances } from '../risk/divergence.ts'
import { E4 } from '../risk/fixed-point.ts'
import { type FleetPair, fleetPairs } from '../risk/fleet-coherence.ts'
import { isUnordered, valueRanks } from '../risk/value-order.ts'
import { compareCodePoints } from '../score/directory-order.ts'
import { type CapabilityOverlap, capabilityOverlap, type Ratio } from './capability-overlap.ts'

/**
 * Finds where the values of a team's members diverge, from their cards alone: the same cards always
 * give the same lines with the same ids.
 */

export const FAULT_LINE_CLASSES = ['resolvable', 'priority_mismatch', 'incompatible'] as const
export type FaultLineClass = (typeof FAULT_LINE_CLASSES)[number]

export type FaultLine = ValueStance & {
  id: string
  classification: FaultLineClass
  severity: Severity
  impactE4: number
  /**
   * The declaring agents that rank the value in the first third of their values, and in the last.
   */
  rankedHigh: readonly string[]
  rankedLow: readonly string[]
  resolutionHint: string
  affectsCapabilities: readonly string[]
}

export type FaultLines = {
  /** The agents with a card, in order. */
  agentIds: readonly string[]
  fleetScoreE4: number
  /** Most severe first. */
  lines: readonly FaultLine[]
  /** The pairwise compatibility; empty for a single agent. */
  pairs: readonly FleetPair[]
}

export type FaultLineSummary = Record<FaultLineClass, number> & {
  total: number
  criticalCount: number
}

/** Takes the active cards of one or more members; members without a card are omitted. */
export function findFaultLines(memberCards: readonly AlignmentCard[]): FaultLines {
  const cards = memberCards.toSorted((a, b) => compareCodePoints(a.agent_id, b.agent_id))
  const agentIds = cards.map(({ agent_id }) => agent_id)
  const holders = cards.map((card) => holderOf(card))
  const fleet = holders.length < 2 ? undefined : fleetPairs(holders)
  const team: Team = {
    agentCount: cards.length,
    idsText: agentIds.join(','),
    levelsOf: new Map(cards.map((card) => [card.agent_id, levelsOf(card.values)])),
    capabilities: capabilityOverlap(cards),
    listed: createListed(),
  }
  const lines = valueStances(holders).flatMap((stance) => lineOf(stance, team) ?? [])
  return {
    agentIds,
    fleetScoreE4: fleet?.fleetScoreE4 ?? E4,
    lines: lines.sort(gravestFirst),
    pairs: fleet?.pairs ?? [],
  }
}

export function summariseFaultLines(
  lines: readonly Pick<FaultLine, 'classification' | 'severity'>[],
): FaultLineSummary {
  const count = (of: FaultLineClass) =>
    lines.filter(({ classification }) => classification === of).length
  return {
    total: lines.length,
    resolvable: count('resolvable'),
    priority_mismatch: count('priority_mismatch'),
    incompatible: count('incompatible'),
    criticalCount: lines.filter(({ severity }) => severity === 'critical').length,
  }
}

type Level = 'high' | 'medium' | 'low'

type Team = {
  agentCount: number
  /** The team's agent ids, as hashed into the ids of lines. */
  idsText: string
  levelsOf: ReadonlyMap<string, ReadonlyMap<string, Level>>
  capabilities: CapabilityOverlap
  listed(ids: readonly string[]): string
}

function holderOf({ agent_id, values }: AlignmentCard): ValueHolder {
  return {
    agentId: agent_id,
    declared: values.declared,
    conflictsWith: values.conflicts_with ?? [],
  }
}

function levelsOf(values: AlignmentCard['values']): Map<string, Level> {
  const ranks = valueRanks(values)
  const isFlat = isUnordered(values)
  const highEnd = Math.ceil(ranks.size / 3)
  const lowStart = ranks.size - Math.floor(ranks.size / 3)
  const levelOf = (rank: number): Level => {
    if (isFlat) return 'medium'
    if (rank < highEnd) return 'high'
    return rank >= lowStart ? 'low' : 'medium'
  }
  return new Map([...ranks].map(([value, rank]) => [value, levelOf(rank)]))
}

function lineOf(stance: ValueStance, team: Team): FaultLine | undefined {
  const { value, declaring, missing, conflicting } = stance
  const at = (level: Level) => declaring.filter((id) => team.levelsOf.get(id)?.get(value) === level)
  const levels = { high: at('high'), medium: at('medium'), low: at('low') }
  const isMismatch = levels.high.length > 0 && levels.low.length > 0
  if (!isDivided(stance) && !isMismatch) return
  const classification = classOf(conflicting.length > 0, isMismatch)
  const commonest = Math.max(levels.high.length, levels.medium.length, levels.low.length)
  const apart = {
    incompatible: Math.min(team.agentCount, missing.length + conflicting.length),
    priority_mismatch: missing.length + declaring.length - commonest,
    resolvable: missing.length,
  }[classification]
  const impactE4 = impactOf(apart, team.agentCount, team.capabilities.mean)
  const [side, other] = {
    incompatible: [declaring, conflicting],
    priority_mismatch: [levels.high, levels.low],
    resolvable: [declaring, missing],
  }[classification] as [readonly string[], readonly string[]]
  return {
    id: `fl-${sha256Hex(`${value}\n${team.idsText}`).slice(0, 12)}`,
    ...stance,
    classification,
    severity: severityOf(impactE4, classification),
    impactE4,
    rankedHigh: levels.high,
    rankedLow: levels.low,
    resolutionHint: HINTS[classification](stance, team.listed),
    affectsCapabilities: team.capabilities.between(side, other),
  }
}

function classOf(isOpposed: boolean, isMismatch: boolean): FaultLineClass {
  if (isOpposed) return 'incompatible'
  return isMismatch ? 'priority_mismatch' : 'resolvable'
}

/**
 * The share of diverging agents, weighted from one half without shared actions up to one if all are
 * shared.
 */
function impactOf(apart: number, agentCount: number, overlap: Ratio): number {
  const { numerator, denominator } = overlap
  const twice = 2n * BigInt(agentCount) * denominator
  const share = BigInt(2 * E4 * apart) * (denominator + numerator)
  return Number((share + twice) / (2n * twice))
}

function severityOf(impactE4: number, classification: FaultLineClass): Severity {
  const rank = [2000, 4000, 7000].filter((least) => impactE4 >= least).length
  const raised = classification === 'incompatible' ? rank + 1 : rank
  return SEVERITIES[raised] ?? 'critical'
}

/** Cached, because many lines concern the same agents. */
function createListed(): Team['listed'] {
  const known = new Map<readonly string[], string>()
  return (ids) => {
    const text = known.get(ids) ?? ids.join(', ')
    known.set(ids, text)
    return text
  }
}

const HINTS: Record<FaultLineClass, (stance: ValueStance, listed: Team['listed']) => string> = {
  resolvable: ({ value, missing }, listed) =>
    `Declare "${value}" on ${listed(missing)}, or drop it from the team.`,
  priority_mismatch: ({ value, declaring }, listed) =>
    `Give "${value}" the same priority on ${listed(declaring)}.`,
  incompatible: ({ value, declaring, conflicting }, listed) =>
    `${listed(conflicting)} rejects "${value}", declared by ${listed(declaring)}; a person must decide.`,
}

function gravestFirst(a: FaultLine, b: FaultLine): number {
  return (
    SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) ||
    b.impactE4 - a.impactE4 ||
    compareCodePoints(a.value, b.value)
  )
}
