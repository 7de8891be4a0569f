import { describe, expect, it } from 'vitest'
import { createPaint } from '../paint.ts'
import { fromEvent, type LiveDecision, liveLine, matches } from './live-decision.ts'

const one: LiveDecision = {
  time: '2026-03-01T12:00:00.000Z',
  decision_id: 'dec-1',
  agent_id: 'desk',
  session_id: 's1',
  tool: 'shop_refund',
  decision: 'block',
  source: 'sdk',
  reason: 'No \u001b[2Jrefunds',
  escalation_id: null,
}

describe('fromEvent', () => {
  it('reads the fields of a decision, and of events without the newer ones', () => {
    const { reason, ...rest } = one
    const data = { ...rest, reasons: [{ code: 'forbidden', message: reason }] }
    expect(fromEvent({ id: undefined, type: 'gateway.decision', data })).toEqual(one)
    const { source: _, reasons: __, ...older } = data
    expect(fromEvent({ id: undefined, type: 'gateway.decision', data: older })).toEqual({
      ...one,
      source: null,
      reason: null,
    })
    expect(fromEvent({ id: 'evt-1', type: 'team.archived', data })).toBeUndefined()
  })
})

describe('matches', () => {
  it('filters as the list does', () => {
    expect(matches(one, {})).toBe(true)
    expect(matches(one, { agent_id: 'desk', session_id: 's1' })).toBe(true)
    expect(matches(one, { agent_id: 'other' })).toBe(false)
    expect(matches({ ...one, session_id: null }, { session_id: 's1' })).toBe(false)
    expect(matches(one, { tool: 'shop_*' })).toBe(true)
    expect(matches(one, { tool: 'shop_' })).toBe(false)
    expect(matches(one, { decision: ['allow', 'block'] })).toBe(true)
    expect(matches(one, { decision: ['allow'] })).toBe(false)
  })
})

describe('liveLine', () => {
  it('is one line without control characters', () => {
    const line = liveLine({ ...one, tool: 'a\nb\u202e' }, createPaint(false))
    expect(line).toBe(
      '2026-03-01T12:00:00.000Z  block  desk  a\uFFFDb\uFFFD  dec-1  No \uFFFD[2Jrefunds',
    )
  })
})
