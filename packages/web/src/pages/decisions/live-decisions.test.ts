import { describe, expect, it } from 'vitest'
import type { LiveEvent } from '../../session/event-buffer.ts'
import { canFollow, type DecisionRow, mergeLive } from './live-decisions.ts'

const event = (number: number, data: Record<string, unknown> = {}): LiveEvent => ({
  id: undefined,
  type: 'gateway.decision',
  key: String(number),
  at: `2026-11-18T12:00:0${number}.000Z`,
  data: {
    decision_id: `dec-${number}`,
    agent_id: 'desk-a',
    session_id: 'chat-1',
    tool: 'mcp__mail__send',
    decision: 'block',
    escalation_id: null,
    ...data,
  },
})

const listed = (number: number): DecisionRow => ({
  decision_id: `dec-${number}`,
  agent_id: 'desk-a',
  session_id: null,
  tool: 'mcp__web__search',
  decision: 'allow',
  escalation_id: null,
  decided_at: `2026-11-18T12:00:0${number}.000Z`,
  source: 'api',
  enforced: true,
  reason: undefined,
  outcome: null,
  isLive: false,
})

const idsOf = (rows: readonly DecisionRow[]) => rows.map((row) => row.decision_id)

describe('live decisions', () => {
  it('come before the list, without those it already has and without older ones', () => {
    const merged = mergeLive([listed(3), listed(2)], [event(5), event(4), event(3), event(1)], {})
    expect(idsOf(merged)).toEqual(['dec-5', 'dec-4', 'dec-3', 'dec-2'])
    expect(merged[2]?.isLive).toBe(false)
  })

  it('match the filters of the list', () => {
    const events = [
      event(4, { tool: 'mcp__web__search', decision: 'allow' }),
      event(3, { agent_id: 'desk-b' }),
      event(2),
    ]
    expect(idsOf(mergeLive([], events, { tool: 'mcp__web__*' }))).toEqual(['dec-4'])
    expect(idsOf(mergeLive([], events, { tool: 'mcp__web' }))).toEqual([])
    expect(idsOf(mergeLive([], events, { decision: ['block', 'warn'] }))).toEqual([
      'dec-3',
      'dec-2',
    ])
    expect(idsOf(mergeLive([], events, { agent_id: 'desk-b' }))).toEqual(['dec-3'])
    expect(mergeLive([], events, { source: 'hook' })).toEqual([])
  })

  it('say whether the call was stopped, as the list does', () => {
    const rows = mergeLive([], [event(3, { enforced: false }), event(2, { enforced: true })], {})
    expect(rows.map(({ enforced }) => enforced)).toEqual([false, true])
  })

  it('show the first reason, if the stream has one', () => {
    const reasons = [{ code: 'forbidden', message: 'No mail' }]
    const [first, second] = mergeLive([], [event(2, { reasons }), event(1, { reasons: [] })], {})
    expect(first?.reason).toBe('No mail')
    expect(second?.reason).toBeUndefined()
  })

  it('leave out other events and unknown decisions', () => {
    const other = { ...event(4), type: 'integrity.checkpoint' }
    expect(mergeLive([], [other, event(3, { decision: 'perhaps' })], {})).toEqual([])
  })

  it('are not offered on later pages or for filters that the stream cannot answer', () => {
    expect(canFollow({ tool: 'mcp__*', decision: ['block'] })).toBe(true)
    expect(canFollow({ cursor: 'next' })).toBe(false)
    expect(canFollow({ outcome: 'none' })).toBe(false)
    expect(canFollow({ from: '2026-11-18T12:00:00Z' })).toBe(false)
  })
})
