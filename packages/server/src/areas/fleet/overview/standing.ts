import type { AssuranceLevel, Grade, NOT_RATED } from '@touchstone/protocol/score'
import type { AgentId } from '../../../kernel/ids.ts'

type Visibility = 'public' | 'unlisted' | 'private'
export type Status = 'active' | 'paused' | 'killed' | 'archived'
type Mode = 'observe' | 'nudge' | 'enforce'

export type AgentBrief = {
  agentId: AgentId
  name: string
  visibility: Visibility
  status: Status
  enforcementMode: Mode
  lastSeenAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export const SORTS = [
  'name',
  'score',
  'trend',
  'blocked',
  'violations',
  'drift_alerts',
  'last_seen',
  'updated',
  'registered',
] as const
export type Sort = (typeof SORTS)[number]

/** The counts an agent can be selected by. */
export const FINDINGS = ['blocked', 'violations', 'drift_alerts'] as const
export type Finding = (typeof FINDINGS)[number]

export type Rating = {
  score: number | null
  grade: Grade | typeof NOT_RATED.grade
  assurance: AssuranceLevel | null
  trend30d: number
}

/** An agent with its score and what happened to it in a time range. */
export type Standing = AgentBrief &
  Rating & {
    blocked: number
    violations: number
    /** Open now. */
    driftAlerts: number
  }

export type Totals = { blocked: number; violations: number; driftAlerts: number }

const COUNT_OF: Record<Finding, (one: Standing) => number> = {
  blocked: ({ blocked }) => blocked,
  violations: ({ violations }) => violations,
  drift_alerts: ({ driftAlerts }) => driftAlerts,
}

const timeOf = (at: Date | null) => at?.getTime() ?? 0

/** Greater values come first; names are compared as texts. */
const VALUE_OF: Record<Exclude<Sort, 'name'>, (one: Standing) => number> = {
  score: ({ score }) => score ?? -1,
  // The largest change first, whether up or down.
  trend: ({ trend30d }) => Math.abs(trend30d),
  ...COUNT_OF,
  last_seen: ({ lastSeenAt }) => timeOf(lastSeenAt),
  updated: ({ updatedAt }) => timeOf(updatedAt),
  registered: ({ createdAt }) => timeOf(createdAt),
}

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

function compareNames(a: Standing, b: Standing): number {
  return names.compare(a.name, b.name) || (a.agentId < b.agentId ? -1 : 1)
}

/** Agents with equal values are in order of name. */
export function sortStandings(standings: readonly Standing[], sort: Sort): Standing[] {
  if (sort === 'name') return standings.toSorted(compareNames)
  const measure = VALUE_OF[sort]
  return standings.toSorted((a, b) => measure(b) - measure(a) || compareNames(a, b))
}

export function hasFinding(one: Standing, finding: Finding): boolean {
  return COUNT_OF[finding](one) > 0
}

export function totalsOf(standings: readonly Standing[]): Totals {
  const sum = (finding: Finding) =>
    standings.reduce((total, one) => total + COUNT_OF[finding](one), 0)
  return {
    blocked: sum('blocked'),
    violations: sum('violations'),
    driftAlerts: sum('drift_alerts'),
  }
}
