import type { Decision } from '@touchstone/protocol/policy'
import type { DecisionRecord, DecisionSource } from './decision-record.ts'

/** The resolutions in which counts are kept. */
export const INTERVALS = ['minute', 'hour', 'day'] as const
export type Interval = (typeof INTERVALS)[number]

export const INTERVAL_MS: Record<Interval, number> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

export const GROUPINGS = ['decision', 'tool', 'agent', 'source'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** The columns by which decisions are counted. */
export type Series = {
  orgId: string
  agentId: string
  tool: string
  decision: Decision
  source: DecisionSource
}

/** The decisions of one series and minute in one batch. */
export type Delta = Series & { minute: Date; durations: readonly number[] }

/** The key of everything that has no count of its own. A tool of this name never has one. */
export const OTHER = 'other'

/** More tools of an agent and day are counted as `other`. */
export const TOOLS_MAX = 500

export function startOf(interval: Interval, at: Date): Date {
  const ms = INTERVAL_MS[interval]
  return new Date(Math.floor(at.getTime() / ms) * ms)
}

/** One delta per series and minute. */
export function deltasOf(records: readonly DecisionRecord[]): Delta[] {
  const deltas = new Map<string, Delta & { durations: number[] }>()
  for (const record of records) {
    const { orgId, agentId, tool, decision, source } = record
    const minute = startOf('minute', record.decidedAt)
    const key = `${minute.getTime()}\n${orgId}\n${agentId}\n${tool}\n${decision}\n${source}`
    const bucket = bucketOf(record.durationMs)
    const delta = deltas.get(key)
    if (delta !== undefined) delta.durations.push(bucket)
    else deltas.set(key, { orgId, agentId, tool, decision, source, minute, durations: [bucket] })
  }
  return [...deltas.values()]
}

/** Names the tools of one agent and day that have counts of their own. */
export function dayToolsKey(orgId: string, agentId: string, day: Date): string {
  return `${day.getTime()}\n${orgId}\n${agentId}`
}

/** Renames tools to `other` once the agent has its maximum on that day. Adds new tools to `known`. */
export function limitTools(deltas: readonly Delta[], known: Map<string, Set<string>>): Delta[] {
  return deltas.map((delta) => {
    const key = dayToolsKey(delta.orgId, delta.agentId, startOf('day', delta.minute))
    const tools = known.get(key) ?? new Set()
    known.set(key, tools)
    if (tools.size >= TOOLS_MAX && !tools.has(delta.tool)) return { ...delta, tool: OTHER }
    if (delta.tool !== OTHER) tools.add(delta.tool)
    return delta
  })
}

export type CountRow = {
  org_id: string
  grouped_by: Grouping | 'all'
  resolution: Interval
  start: Date
  agent_id: string
  tool: string
  decision: string
  source: string
  count: number
}

/** The sums of the deltas for every interval and grouping. */
export function countRows(deltas: readonly Delta[]): CountRow[] {
  const rows = new Map<string, CountRow>()
  for (const delta of deltas) {
    const count = delta.durations.length
    for (const resolution of INTERVALS) {
      const start = startOf(resolution, delta.minute)
      for (const columns of columnsOf(delta)) {
        const { grouped_by, agent_id, tool, decision, source } = columns
        const key = `${resolution}\n${start.getTime()}\n${delta.orgId}\n${grouped_by}\n${agent_id}\n${tool}\n${decision}\n${source}`
        const row = rows.get(key)
        if (row !== undefined) row.count += count
        else rows.set(key, { ...columns, org_id: delta.orgId, resolution, start, count })
      }
    }
  }
  return [...rows.values()]
}

const NONE = { agent_id: '', tool: '', decision: '', source: '' }

function columnsOf(delta: Delta) {
  const { agentId: agent_id, tool, decision, source } = delta
  return [
    { grouped_by: 'all', agent_id, tool, decision, source },
    { ...NONE, grouped_by: 'agent', agent_id },
    { ...NONE, grouped_by: 'tool', tool },
    { ...NONE, grouped_by: 'decision', decision },
    { ...NONE, grouped_by: 'source', source },
  ] as const
}

export type DurationRow = { org_id: string; resolution: Interval; start: Date; counts: number[] }

/** The histograms of the deltas for every interval. */
export function durationRows(deltas: readonly Delta[]): DurationRow[] {
  const rows = new Map<string, DurationRow>()
  for (const { orgId, minute, durations } of deltas) {
    for (const resolution of INTERVALS) {
      const start = startOf(resolution, minute)
      const key = `${resolution}\n${start.getTime()}\n${orgId}`
      const row = rows.get(key) ?? { org_id: orgId, resolution, start, counts: emptyHistogram() }
      rows.set(key, row)
      addDurations(row.counts, durations)
    }
  }
  return [...rows.values()]
}

export const BUCKETS = 64
/** The first bucket is below this; three buckets double it. The last begins at about 16 s. */
const FIRST_MS = 0.01
const PER_DOUBLING = 3

export function emptyHistogram(): number[] {
  return Array.from({ length: BUCKETS }, () => 0)
}

/** Counts the bucket of each decision. */
export function addDurations(histogram: number[], buckets: readonly number[]): void {
  for (const bucket of buckets) histogram[bucket] = (histogram[bucket] ?? 0) + 1
}

export function addHistogram(histogram: number[], added: readonly number[]): void {
  for (const [at, count] of added.entries()) histogram[at] = (histogram[at] ?? 0) + count
}

export function bucketOf(durationMs: number): number {
  if (!(durationMs >= FIRST_MS)) return 0
  const at = 1 + Math.floor(PER_DOUBLING * Math.log2(durationMs / FIRST_MS))
  return Math.min(BUCKETS - 1, at)
}

/** The geometric middle of a bucket, within 13 % of every duration in it. */
function middleOf(bucket: number): number {
  const middleMs = FIRST_MS * 2 ** ((bucket - 0.5) / PER_DOUBLING)
  return Number(middleMs.toPrecision(3))
}

/** The duration that the given share of decisions did not exceed; null without decisions. */
export function percentile(histogram: readonly number[], share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = Math.max(1, Math.ceil(total * share))
  let seen = 0
  const bucket = histogram.findIndex((count) => {
    seen += count
    return seen >= rank
  })
  return middleOf(bucket)
}
