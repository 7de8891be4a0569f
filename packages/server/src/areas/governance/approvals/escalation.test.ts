import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pendingOf, ruleOf, START } from './approvals.fixture.ts'
import {
  approvalOf,
  type Escalation,
  hasArgumentsAt,
  type Question,
  type Subject,
  statusAt,
} from './escalation.ts'
import { escalationEvent } from './escalation-event.ts'

const MINUTE_MS = 60_000
const after = (ms: number) => new Date(START.getTime() + ms)
const CALL: Subject = {
  agentId: 'agent-1',
  tool: 'refund',
  sessionId: 'sess-1',
  argumentsHash: 'ab',
}
const PENDING = pendingOf('esc-1', CALL)
const approved = (given: Partial<Escalation> = {}): Escalation => ({
  ...PENDING,
  status: 'approved',
  resolvedBy: 'user-1',
  resolvedAt: START,
  scope: 'call',
  validUntil: after(15 * MINUTE_MS),
  usesLeft: 1,
  ...given,
})
const QUESTION = { ...CALL, askedBy: 'key-1', isBound: false }
const standing = (escalation: Escalation, at = START, call: Partial<Question> = {}) =>
  approvalOf(escalation, { ...QUESTION, ...call }, at).standing

describe('an escalation', () => {
  it('expires after exactly as long as its rule says', () => {
    for (const expiresMinutes of [5, 60]) {
      const pending = pendingOf('esc-1', { ...CALL, rule: ruleOf({ expiresMinutes }) })
      const end = expiresMinutes * MINUTE_MS
      expect([statusAt(pending, after(end - 1)), statusAt(pending, after(end))]).toEqual([
        'pending',
        'expired',
      ])
      expect([standing(pending, after(end - 1)), standing(pending, after(end))]).toEqual([
        'pending',
        'refused',
      ])
    }
  })

  it('never expires once it is resolved', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('approved' as const, 'rejected' as const),
        fc.nat(),
        (status, ms) => {
          expect(statusAt(approved({ status }), after(ms))).toBe(status)
        },
      ),
    )
  })

  it('that is approved allows calls until it is used up or its time is over', () => {
    const end = 15 * MINUTE_MS
    expect(standing(approved(), after(end - 1))).toBe('approved')
    expect(standing(approved(), after(end))).toBe('refused')
    expect(standing(approved({ usesLeft: 0 }))).toBe('refused')
    expect(standing(approved({ status: 'rejected', usesLeft: null }))).toBe('refused')
  })

  it('is for one agent, tool, session and arguments', () => {
    for (const other of [
      { agentId: 'agent-2' },
      { tool: 'wire' },
      { sessionId: 'sess-2' },
      { sessionId: null },
      { argumentsHash: 'cd' },
      { argumentsHash: null },
    ]) {
      expect(standing(approved(), START, other)).toBe('mismatched')
      expect(standing(PENDING, START, other)).toBe('mismatched')
    }
    expect(standing(approved({ sessionId: null }), START, { sessionId: 'any' })).toBe('approved')
  })

  it('of scope session is for any arguments', () => {
    const session = approved({ scope: 'session', usesLeft: 100 })
    expect(standing(session, START, { argumentsHash: 'cd' })).toBe('approved')
    expect(standing(session, START, { sessionId: 'sess-2' })).toBe('mismatched')
    expect(standing(session, START, { tool: 'wire' })).toBe('mismatched')
  })

  it('is not approved for a key that gave one of its approvals', () => {
    const given = { at: START, note: null, scope: 'call', ttlMinutes: 15 } as const
    const approvals = [
      { by: 'user-1', keyId: null, ...given },
      { by: 'user-2', keyId: 'key-2', ...given },
    ]
    expect(standing(approved({ approvals }))).toBe('approved')
    expect(standing(approved({ approvals }), START, { askedBy: 'key-2' })).toBe('refused')
  })

  it('names everybody who approved', () => {
    const given = { at: START, note: null, scope: 'call', ttlMinutes: 15, keyId: null } as const
    const approvals = [
      { by: 'user-1', ...given },
      { by: 'user-2', ...given },
    ]
    expect(approvalOf(approved({ approvals }), QUESTION, START).approvedBy).toBe('user-1, user-2')
    expect(approvalOf(approved(), QUESTION, START).approvedBy).toBe('user-1')
  })

  it('shows its arguments until 24 hours after its end', () => {
    const day = 24 * 60 * MINUTE_MS
    const stored = approved({ hasArguments: true })
    expect([hasArgumentsAt(stored, after(day - 1)), hasArgumentsAt(stored, after(day))]).toEqual([
      true,
      false,
    ])
    const unanswered = { ...PENDING, hasArguments: true }
    expect(hasArgumentsAt(unanswered, after(60 * MINUTE_MS + day - 1))).toBe(true)
    expect(hasArgumentsAt(unanswered, after(60 * MINUTE_MS + day))).toBe(false)
    expect(hasArgumentsAt(PENDING, START)).toBe(false)
  })
})

describe('the event of an escalation', () => {
  const approveUrl = 'https://touchstone.example.com/approvals/esc-1'

  it('has the shape of a trace event without a trace', () => {
    const policy = {
      verdict: 'warn',
      violations: 1,
      warnings: 0,
      policy_id: 'pol-1',
      policy_version: 3,
      tools: ['refund'],
    }
    expect(escalationEvent(PENDING, { policy, approveUrl })).toEqual({
      type: 'trace.escalation_required',
      data: {
        all_events: ['trace.escalation_required'],
        trace: {
          trace_id: null,
          agent_id: 'agent-1',
          session_id: 'sess-1',
          action: null,
          decision: null,
          verification: null,
          escalation: {
            required: true,
            reason: 'Refunds are for people',
            triggered: true,
            escalation_id: 'esc-1',
            decision_id: 'dec-1',
            tool: 'refund',
            approve_url: approveUrl,
          },
          policy,
        },
      },
    })
  })

  it('truncates the reason to 2,000 characters without splitting a surrogate pair', () => {
    const long = { ...PENDING, reason: '🧾'.repeat(2001) }
    const { reason } = escalationEvent(long, { policy: null, approveUrl }).data.trace.escalation
    expect(reason).toBe('🧾'.repeat(2000))
  })
})
