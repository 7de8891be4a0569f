import { describe, expect, it } from 'vitest'
import { joinSessions } from './sessions.ts'

const at = (minute: number) => `2026-11-19T10:0${minute}:00.000Z`

const evidence = (sessionId: string, from: number, to: number) => ({
  session_id: sessionId,
  checkpoint_count: 2,
  analyzed_count: 2,
  verdicts: { clear: 1, review_needed: 0, boundary_violation: 1 },
  stable: true,
  started_at: at(from),
  last_at: at(to),
})

const decided = (sessionId: string | null, minute: number, decision: 'allow' | 'block') => ({
  session_id: sessionId,
  decided_at: at(minute),
  decision,
})

describe('the sessions of an agent', () => {
  it('join checkpoints and decisions, newest first; decisions without a session are left out', () => {
    const joined = joinSessions(
      [evidence('night', 1, 3), evidence('noon', 2, 4)],
      [
        decided('night', 6, 'block'),
        decided('calls', 5, 'allow'),
        decided('night', 0, 'allow'),
        decided(null, 7, 'block'),
      ],
    )
    expect(joined.map(({ sessionId }) => sessionId)).toEqual(['night', 'calls', 'noon'])
    const [night, calls] = joined
    expect(night).toMatchObject({ startedAt: at(0), lastAt: at(6), decisions: 2, blocked: 1 })
    expect(night?.evidence?.checkpoint_count).toBe(2)
    expect(calls).toMatchObject({ evidence: undefined, decisions: 1, blocked: 0 })
  })
})
