import { type Static, Type } from 'typebox'
import { DecisionOutcome } from '../../../decision-wire.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Instant, Nullable, toInstant } from '../../../http/wire.ts'
import { GROUPINGS, INTERVALS } from './counter.ts'
import type { Stats, StatsQuery } from './stats-service.ts'

const Interval = (options = {}) => NamedEnum('StatsInterval', [...INTERVALS], options)

export const DecisionStatsQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      ...Instant,
      description:
        'rounded down to the interval; default: 60 minutes, 24 hours or 30 days before to. For minute in the last 48 hours, for hour in the last 90 days',
    }),
  ),
  to: Type.Optional(
    Type.String({ ...Instant, description: 'exclusive, rounded up to the interval; default: now' }),
  ),
  interval: Type.Optional(Interval({ default: 'hour' })),
  group_by: Type.Optional(NamedEnum('StatsGrouping', [...GROUPINGS], { default: 'decision' })),
  decision: Type.Optional(
    Type.Array(DecisionOutcome, {
      minItems: 1,
      maxItems: 4,
      description: 'repeatable; counts only these, while durations are of all decisions',
    }),
  ),
})

const Counts = Type.Record(Type.String(), Type.Integer())

const Duration = Nullable(Type.Number({ description: 'null without decisions' }))

const Durations = NamedObject('DecisionDurations', { p50: Duration, p99: Duration })

export const DecisionStatsAnswer = NamedObject('DecisionStats', {
  interval: Interval(),
  buckets: Type.Array(
    NamedObject('DecisionStatsBucket', {
      start: Type.String(),
      counts: Counts,
      duration_ms: Durations,
    }),
  ),
  totals: Type.Record(Type.String(), Type.Integer(), {
    description:
      'the sums of the buckets: the 20 most frequent keys, all others as `other`, and with them a tool or agent that has this name',
  }),
  duration_ms: Durations,
})

export function toStatsQuery(query: Static<typeof DecisionStatsQuery>): StatsQuery {
  return {
    from: toInstant(query.from, 'from'),
    to: toInstant(query.to, 'to'),
    interval: query.interval ?? 'hour',
    groupBy: query.group_by ?? 'decision',
    decisions: query.decision,
  }
}

export function toStats(stats: Stats): Static<typeof DecisionStatsAnswer> {
  const { interval, buckets, totals, durations } = stats
  return {
    interval,
    buckets: buckets.map(({ start, counts, p50, p99 }) => ({
      start: start.toISOString(),
      counts,
      duration_ms: { p50, p99 },
    })),
    totals,
    duration_ms: durations,
  }
}
