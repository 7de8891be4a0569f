import { SEVERITIES, type Severity, stricterSeverity } from '../policy/policy.ts'
import { divide, E4 } from '../risk/fixed-point.ts'
import { compareCodePoints } from '../score/directory-order.ts'
import type { FaultLine, FaultLines } from './fault-lines.ts'

/**
 * Predicts the failure modes of a team from its fault lines, by rules: the fallback if no model is
 * available. It is only an estimate from cards, and its confidence says so.
 */

/** In this order. */
export const FAILURE_MODES = [
  'value_override',
  'escalation_conflict',
  'coordination_deadlock',
  'capability_gap',
  'trust_erosion',
] as const
export type FailureModeName = (typeof FAILURE_MODES)[number]

export type FailureMode = {
  mode: FailureModeName
  description: string
  probabilityE4: number
  severity: Severity
  /** Ids of fault lines. */
  triggeredBy: readonly string[]
  affectedAgents: readonly string[]
  mitigationAvailable: boolean
}

export type Forecast = {
  failureModes: readonly FailureMode[]
  overallRiskLevel: Severity
  confidenceE4: number
}

export type ForecastInput = Pick<FaultLines, 'agentIds' | 'fleetScoreE4' | 'lines'> & {
  /** Including members without a card. */
  memberCount: number
  /** Ids of lines with a mitigation in place, which count half. */
  eased?: ReadonlySet<string>
}

export function forecastByRules(input: ForecastInput): Forecast {
  const failureModes = FAILURE_MODES.flatMap((mode) => {
    const triggered = RULES[mode](input)
    return triggered.lines.length === 0 ? [] : toMode(mode, triggered)
  })
  return {
    failureModes,
    overallRiskLevel: overallLevel(failureModes),
    confidenceE4: rulesConfidence(input.agentIds.length, input.memberCount),
  }
}

/** The confidence that cards can give at most, reduced by the share of members without one. */
export function rulesConfidence(agentsWithCard: number, memberCount: number): number {
  return divide(6000 * agentsWithCard, Math.max(1, memberCount))
}

type Triggered = {
  lines: readonly FaultLine[]
  probabilityE4: number
  affected: readonly string[]
  /** Overrides the severity of the most severe line. */
  severity?: Severity
}

const RULES: Record<FailureModeName, (input: ForecastInput) => Triggered> = {
  value_override(input) {
    const lines = ofClass(input, 'incompatible')
    const affected = lines.flatMap(({ declaring, conflicting }) => [...declaring, ...conflicting])
    return { lines, affected, probabilityE4: Math.min(9500, anyOf(lines, 80n, input)) }
  },

  escalation_conflict(input) {
    const lines = ofClass(input, 'priority_mismatch')
    const affected = lines.flatMap(({ rankedHigh, rankedLow }) => [...rankedHigh, ...rankedLow])
    return { lines, affected, probabilityE4: anyOf(lines, 60n, input) }
  },

  coordination_deadlock(input) {
    const lines = ofClass(input, 'incompatible')
    const rejections = createRejections(input.agentIds, lines)
    const mutual = lines.map((line) => ({ line, between: rejections.mutualOn(line) }))
    const triggering = mutual.filter(({ between }) => between.length > 0).map(({ line }) => line)
    const affected = mutual.flatMap(({ between }) => between)
    return { lines: triggering, affected, probabilityE4: anyOf(triggering, 50n, input) }
  },

  capability_gap(input) {
    const lines = ofClass(input, 'resolvable').filter(affectsSomething)
    const affected = lines.flatMap(({ missing }) => missing)
    return { lines, affected, probabilityE4: anyOf(lines, 50n, input) }
  },

  trust_erosion({ fleetScoreE4, lines, agentIds }) {
    const isEroding = fleetScoreE4 < 7000
    return {
      lines: isEroding ? lines : [],
      affected: agentIds,
      probabilityE4: divide(6 * (E4 - fleetScoreE4), 10),
      severity: fleetScoreE4 < 5000 ? 'high' : 'medium',
    }
  },
}

function ofClass({ lines }: ForecastInput, wanted: FaultLine['classification']): FaultLine[] {
  return lines.filter(({ classification }) => classification === wanted)
}

function affectsSomething({ affectsCapabilities }: FaultLine): boolean {
  return affectsCapabilities.length > 0
}

/**
 * Which agent rejects a value of which other, encoded as one number per pair, because a large team
 * has many thousands.
 */
function createRejections(agentIds: readonly string[], lines: readonly FaultLine[]) {
  const places = new Map(agentIds.map((id, at) => [id, at]))
  const numberOf = (by: string, of: string) =>
    (places.get(by) ?? 0) * agentIds.length + (places.get(of) ?? 0)
  const all = new Set<number>()
  for (const { declaring, conflicting } of lines) {
    for (const by of conflicting) for (const of of declaring) all.add(numberOf(by, of))
  }
  return {
    /** The agents of the line in mutual rejection. */
    mutualOn: ({ declaring, conflicting }: FaultLine): string[] =>
      conflicting.flatMap((by) => {
        const back = declaring.filter((of) => of !== by && all.has(numberOf(of, by)))
        return back.length > 0 ? [by, ...back] : []
      }),
  }
}

/**
 * The probability that at least one line causes the failure. Computed exactly, because products of
 * decimals are not: every line is a fraction of 20000, which halves without remainder.
 */
function anyOf(lines: readonly FaultLine[], percent: bigint, { eased }: ForecastInput): number {
  const none = lines.reduce(
    (product, { id, impactE4 }) => product * BigInt(2 * E4 - impactE4 * (eased?.has(id) ? 1 : 2)),
    1n,
  )
  const all = BigInt(2 * E4) ** BigInt(lines.length)
  return Number((2n * BigInt(E4) * percent * (all - none) + 100n * all) / (200n * all))
}

function toMode(mode: FailureModeName, triggered: Triggered): FailureMode {
  const { lines, probabilityE4 } = triggered
  const affectedAgents = [...new Set(triggered.affected)].sort(compareCodePoints)
  const gravest = lines.map(({ severity }) => severity).reduce(stricterSeverity)
  const values = listed(lines.map(({ value }) => value))
  const inWords = mode.replaceAll('_', ' ')
  return {
    mode,
    description: `${lines.length} fault line(s) on ${values} can lead to ${inWords} among ${listed(affectedAgents)}.`,
    probabilityE4,
    severity: triggered.severity ?? gravest,
    triggeredBy: lines.map(({ id }) => id),
    affectedAgents,
    mitigationAvailable: lines.some(
      (line) => affectsSomething(line) || line.classification !== 'incompatible',
    ),
  }
}

/** Sentences list at most this many names; the accompanying lists are complete. */
const NAMES_MAX = 20

/** Joins names for a sentence. */
export function listed(names: readonly string[]): string {
  const rest = names.length - NAMES_MAX
  if (rest <= 0) return names.join(', ')
  return `${names.slice(0, NAMES_MAX).join(', ')} and ${rest} more`
}

const WEIGHT: Record<Severity, number> = { low: 25, medium: 50, high: 75, critical: 100 }

function overallLevel(modes: readonly FailureMode[]): Severity {
  const worst = Math.max(
    0,
    ...modes.map(({ probabilityE4, severity }) => probabilityE4 * WEIGHT[severity]),
  )
  const rank = [15, 35, 60].filter((percent) => worst >= percent * E4).length
  return SEVERITIES[rank] ?? 'critical'
}
