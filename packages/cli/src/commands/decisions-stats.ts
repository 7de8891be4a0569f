import type { Answer, Query } from '@touchstone/sdk'
import { command } from '../command.ts'
import { toInstant } from '../decisions/decision-filter.ts'
import { connect } from '../service.ts'
import { printable, table } from '../table.ts'

type Stats = Answer<'GET', '/v1/decisions/stats'>
type StatsQuery = NonNullable<Query<'GET', '/v1/decisions/stats'>>

const INTERVALS = ['minute', 'hour', 'day'] as const
const GROUPINGS = ['decision', 'tool', 'agent', 'source'] as const

export const decisionsStats = command({
  path: ['decisions', 'stats'],
  summary: 'count decisions per interval, with the time they took',
  details: `Covers the last 60 minutes, 24 hours or 30 days unless --from is given. By tool or agent, only
totals are printed; --json has every interval. Only the 20 most frequent are named; "other" sums the
rest, including a tool or agent that is itself called "other".`,
  flags: {
    interval: { type: 'string', choices: INTERVALS, summary: 'default: hour' },
    by: { type: 'string', choices: GROUPINGS, summary: 'default: decision' },
    from: { type: 'string', value: 'TIME', summary: 'since TIME, such as 2026-03-01' },
    to: { type: 'string', value: 'TIME', summary: 'before TIME; default: now' },
  },
  args: {},
  async run({ flags, io }) {
    const query: StatsQuery = {
      interval: flags.interval,
      group_by: flags.by,
      from: toInstant(flags.from),
      to: toInstant(flags.to),
    }
    const { client } = await connect(io)
    const stats = await client.request('GET', '/v1/decisions/stats', { query })
    const isWide = flags.by === 'tool' || flags.by === 'agent'
    io.result(stats, () => (isWide ? sumTable(stats) : intervalTable(stats)))
    return 0
  },
})

function sumTable({ totals }: Stats): string {
  const sums = Object.entries(totals).toSorted(([, one], [, other]) => other - one)
  if (sums.length === 0) return 'No decisions found.'
  return table(
    ['NAME', 'DECISIONS'],
    sums.map(([name, count]) => [printable(name), String(count)]),
  )
}

/** Intervals without decisions are left out. */
function intervalTable({ buckets, totals }: Stats): string {
  const names = Object.keys(totals)
  const countsOf = (counts: Readonly<Record<string, number>>) =>
    names.map((name) => String(counts[name] ?? 0))
  const used = buckets.filter(({ counts }) => Object.values(counts).some((count) => count > 0))
  if (used.length === 0) return 'No decisions found.'
  const rows = used.map(({ start, counts, duration_ms: { p50, p99 } }) => [
    start,
    ...countsOf(counts),
    String(p50 ?? '-'),
    String(p99 ?? '-'),
  ])
  const head = ['START', ...names.map((name) => printable(name).toUpperCase()), 'P50 MS', 'P99 MS']
  return table(head, [...rows, ['total', ...countsOf(totals)]])
}
