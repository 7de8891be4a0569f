import { describe, expect, it } from 'vitest'
import type { LiveEvent } from '../../session/event-buffer.ts'
import type { DecisionRow } from '../decisions/live-decisions.ts'
import { ACTIVITY_MAX, activityOf } from './activity.ts'

const at = (second: number) => new Date(Date.UTC(2026, 10, 18, 12, 0, second)).toISOString()

const row = (number: number): DecisionRow => ({
  decision_id: `dec-${number}`,
  agent_id: 'desk',
  session_id: null,
  tool: 'search',
  decision: 'allow',
  escalation_id: null,
  decided_at: at(number),
  source: 'api',
  enforced: true,
  reason: undefined,
  outcome: null,
  isLive: false,
})

const event = (type: string, second: number, data: LiveEvent['data'] = {}): LiveEvent => ({
  id: String(second),
  type,
  data,
  key: `${type} ${second}`,
  at: at(second),
})

const decided = (number: number) =>
  event('gateway.decision', number, {
    decision_id: `dec-${number}`,
    agent_id: 'desk',
    decision: 'block',
    tool: 'shell',
    time: at(number),
  })

describe('live activity', () => {
  it('begins with the latest decisions, and has the newest first', () => {
    const lines = activityOf([row(3), row(1)], [event('reputation.score_changed', 2), decided(4)])
    expect(lines.map(({ key }) => key)).toEqual([
      'dec-4',
      'dec-3',
      'reputation.score_changed 2',
      'dec-1',
    ])
  })

  it('shows a decision once, although it is listed, streamed and an event of its own', () => {
    const lines = activityOf([row(3)], [decided(3), event('decision.blocked', 3)])
    expect(lines.map(({ key }) => key)).toEqual(['dec-3'])
  })

  it('is bounded', () => {
    const rows = Array.from({ length: 80 }, (_, number) => row(80 - number))
    expect(activityOf(rows, [])).toHaveLength(ACTIVITY_MAX)
  })
})
