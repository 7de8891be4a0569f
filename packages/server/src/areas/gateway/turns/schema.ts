import { Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Instant } from '../../../http/wire.ts'
import type { UsageBucket, UsageDay } from './usage-store.ts'

export const UsageQuery = Type.Object({
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
})

const COUNTERS = {
  turns: Type.Integer(),
  input_tokens: Type.Integer({ description: 'cached ones included' }),
  cached_tokens: Type.Integer(),
  output_tokens: Type.Integer({ description: 'reasoning included' }),
  tool_calls: Type.Integer({ description: 'refused ones included' }),
  blocked: Type.Integer({ description: 'calls that were not let through' }),
  ungoverned: Type.Integer({
    description: 'turns whose calls were released undecided, because the gateway failed',
  }),
}

const Interval = (options = {}) => NamedEnum('ModelUsageInterval', ['hour', 'day'], options)

export const OrgUsageQuery = Type.Object({
  ...UsageQuery.properties,
  interval: Type.Optional(Interval({ default: 'day' })),
})

export const OrgModelUsage = NamedObject('OrgModelUsage', {
  interval: Interval(),
  buckets: Type.Array(
    NamedObject('ModelUsageBucket', {
      start: Type.String({
        description: 'hours and days of UTC; those without a turn are left out',
      }),
      ...COUNTERS,
    }),
  ),
})

export const ModelUsage = NamedObject('ModelUsage', {
  days: Type.Array(
    NamedObject('ModelUsageDay', {
      date: Type.String({ description: 'of UTC' }),
      model: Type.String({ description: 'as the provider names it' }),
      ...COUNTERS,
    }),
  ),
})

export function toModelUsage(days: readonly UsageDay[]) {
  return {
    days: days.map((day) => ({
      date: day.date,
      model: day.model,
      ...toCounters(day),
    })),
  }
}

export function toOrgModelUsage(interval: 'hour' | 'day', buckets: readonly UsageBucket[]) {
  return {
    interval,
    buckets: buckets.map((bucket) => ({
      start: bucket.start.toISOString(),
      ...toCounters(bucket),
    })),
  }
}

function toCounters(usage: Omit<UsageBucket, 'start'>) {
  return {
    turns: usage.turns,
    input_tokens: usage.inputTokens,
    cached_tokens: usage.cachedTokens,
    output_tokens: usage.outputTokens,
    tool_calls: usage.toolCalls,
    blocked: usage.blocked,
    ungoverned: usage.ungoverned,
  }
}
