import { Type } from 'typebox'
import { NamedObject } from '../../../http/openapi/named.ts'
import { Instant } from '../../../http/wire.ts'
import type { UsageDay } from './usage-store.ts'

export const UsageQuery = Type.Object({
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
})

export const ModelUsage = NamedObject('ModelUsage', {
  days: Type.Array(
    NamedObject('ModelUsageDay', {
      date: Type.String({ description: 'of UTC' }),
      model: Type.String({ description: 'as the provider names it' }),
      turns: Type.Integer(),
      input_tokens: Type.Integer({ description: 'cached ones included' }),
      cached_tokens: Type.Integer(),
      output_tokens: Type.Integer({ description: 'reasoning included' }),
      tool_calls: Type.Integer({ description: 'refused ones included' }),
      blocked: Type.Integer({ description: 'calls that were not let through' }),
      ungoverned: Type.Integer({
        description: 'turns whose calls were released undecided, because the gateway failed',
      }),
    }),
  ),
})

export function toModelUsage(days: readonly UsageDay[]) {
  return {
    days: days.map((day) => ({
      date: day.date,
      model: day.model,
      turns: day.turns,
      input_tokens: day.inputTokens,
      cached_tokens: day.cachedTokens,
      output_tokens: day.outputTokens,
      tool_calls: day.toolCalls,
      blocked: day.blocked,
      ungoverned: day.ungoverned,
    })),
  }
}
