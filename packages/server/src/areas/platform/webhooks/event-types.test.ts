import { EVENT_SUBSCRIPTIONS, EVENT_TYPES } from '@touchstone/protocol/events'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { EventType } from '../../../kernel/events.ts'
import { isSubscribed, isTraceType } from './event-types.ts'

describe('the event types', () => {
  it('are the 33 that features can emit', () => {
    expect(EVENT_TYPES).toHaveLength(33)
    expect(new Set(EVENT_TYPES).size).toBe(33)
    expectTypeOf<(typeof EVENT_TYPES)[number]>().toEqualTypeOf<EventType>()
  })

  it('include five trace events', () => {
    expect(EVENT_TYPES.filter(isTraceType)).toEqual([
      'trace.created',
      'trace.verified',
      'trace.failed',
      'trace.escalation_required',
      'policy.violation',
    ])
  })

  it('can be subscribed to by name, by each of fourteen families, and all together', () => {
    expect(EVENT_SUBSCRIPTIONS).toHaveLength(33 + 1 + 14)
    for (const type of EVENT_TYPES) {
      const family = EVENT_SUBSCRIPTIONS.filter(
        (wanted) => wanted.endsWith('.*') && type.startsWith(wanted.slice(0, -1)),
      )
      expect(family, type).toHaveLength(1)
      expect(isSubscribed(family, [type])).toBe(true)
    }
  })
})

describe('isSubscribed', () => {
  it('treats an empty list and * as all events', () => {
    for (const type of EVENT_TYPES) {
      expect(isSubscribed([], [type])).toBe(true)
      expect(isSubscribed(['*'], [type])).toBe(true)
    }
  })

  it('matches a name to exactly that type', () => {
    for (const wanted of EVENT_TYPES) {
      expect(EVENT_TYPES.filter((type) => isSubscribed([wanted], [type]))).toEqual([wanted])
    }
  })

  it('includes policy.violation in the trace events and keeps families apart', () => {
    expect(EVENT_TYPES.filter((type) => isSubscribed(['trace.*'], [type]))).toHaveLength(5)
    expect(isSubscribed(['policy.*'], ['trace.created'])).toBe(false)
    expect(isSubscribed(['team.*'], ['team_reputation.score_changed'])).toBe(false)
    expect(isSubscribed(['reputation.*'], ['team_reputation.grade_changed'])).toBe(false)
    expect(isSubscribed(['quota.*'], ['quota.team_reputation_warning'])).toBe(true)
  })

  it('matches a trace event by any of its names', () => {
    const names = ['trace.created', 'trace.failed', 'policy.violation']
    expect(isSubscribed(['trace.created'], names)).toBe(true)
    expect(isSubscribed(['drift.detected', 'policy.violation'], names)).toBe(true)
    expect(isSubscribed(['trace.verified'], names)).toBe(false)
  })
})
