import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Escalation, openEscalation, standingAt, statusAt } from './escalation.ts'
import { escalationEvent } from './escalation-event.ts'
import { asked } from './gateway.fixture.ts'

const START = new Date('2026-03-01T12:00:00.000Z')
const MINUTE_MS = 60_000
const after = (ms: number) => new Date(START.getTime() + ms)
const PENDING = openEscalation(asked('esc-1'), START)
const resolved = (
  status: 'approved' | 'rejected',
  given: Partial<Escalation> = {},
): Escalation => ({
  ...PENDING,
  status,
  resolvedBy: 'user-1',
  resolvedAt: START,
  ...given,
})

describe('an escalation', () => {
  it('is pending for an hour, to the millisecond, and expired from then on', () => {
    const end = 60 * MINUTE_MS
    expect([statusAt(PENDING, after(end - 1)), statusAt(PENDING, after(end))]).toEqual([
      'pending',
      'expired',
    ])
    expect([standingAt(PENDING, after(end - 1)), standingAt(PENDING, after(end))]).toEqual([
      'pending',
      'refused',
    ])
  })

  it('that was answered stays so, however old', () => {
    fc.assert(
      fc.property(fc.constantFrom('approved', 'rejected'), fc.nat(), (status, ms) => {
        expect(statusAt(resolved(status), after(ms))).toBe(status)
      }),
    )
  })

  it('that is approved is good for 15 minutes and one call', () => {
    const end = 15 * MINUTE_MS
    expect(standingAt(resolved('approved'), after(end - 1))).toBe('approved')
    expect(standingAt(resolved('approved'), after(end))).toBe('refused')
    expect(standingAt(resolved('approved', { usedAt: START }), START)).toBe('refused')
    expect(standingAt(resolved('rejected'), START)).toBe('refused')
  })
})

describe('the event of an escalation', () => {
  it('has the envelope of a trace that is not there yet', () => {
    const policy = {
      verdict: 'warn',
      violations: 1,
      warnings: 0,
      policy_id: 'pol-1',
      policy_version: 3,
      tools: ['refund'],
    }
    expect(escalationEvent(PENDING, policy)).toEqual({
      type: 'trace.escalation_required',
      data: {
        all_events: ['trace.escalation_required'],
        trace: {
          trace_id: null,
          agent_id: 'agent-1',
          session_id: null,
          action: null,
          decision: null,
          verification: null,
          escalation: { required: true, reason: 'Refunds are for people', triggered: true },
          policy,
        },
      },
    })
  })

  it('is cut at 2,000 characters, none of them halved', () => {
    const long = { ...PENDING, reason: '🧾'.repeat(2001) }
    const { reason } = escalationEvent(long, null).data.trace.escalation
    expect(reason).toBe('🧾'.repeat(2000))
  })
})
