import { judgeCondition } from '@touchstone/protocol/cards'
import { describe, expect, it } from 'vitest'
import type { Trace, TracePolicy } from './trace.ts'
import { traceEvent } from './trace-event.ts'
import { verifyTrace } from './verify-trace.ts'

const NOW = new Date('2026-03-01T12:00:00Z')

const TRACE: Trace = {
  trace_id: 'tr-1',
  agent_id: 'agent-demo',
  card_id: 'ac-1',
  timestamp: '2026-03-01T00:00:00.000Z',
  action: { type: 'execute', name: 'search', category: 'bounded', parameters: { amount: 5 } },
  decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: ['honesty'] },
  context: { session_id: 'sess-1' },
}

const CARD = {
  values: { declared: ['honesty'] },
  autonomy_envelope: {
    bounded_actions: ['search'],
    escalation_triggers: [{ condition: 'amount > 10', action: 'escalate', reason: 'dear' }],
  },
}

const FAILED: TracePolicy = {
  verdict: 'fail',
  violations: 2,
  warnings: 1,
  tools: ['search'],
  policy_id: 'pol-1',
  policy_version: 3,
}

function eventOf(changes: Partial<Trace> = {}, policy: TracePolicy | null = null) {
  const trace = { ...TRACE, ...changes }
  const given = { trace, card: CARD, cardId: 'ac-1', cardNamed: true, now: NOW }
  return traceEvent(trace, verifyTrace({ ...given, judge: judgeCondition }), policy)
}

describe('traceEvent', () => {
  it('has the most specific type that applies to the trace', () => {
    const all = (changes?: Partial<Trace>) => eventOf(changes).data.all_events
    expect(eventOf().type).toBe('trace.verified')
    expect(all()).toEqual(['trace.created', 'trace.verified'])
    const outside = { action: { ...TRACE.action, name: 'delete' } }
    expect(all(outside)).toEqual(['trace.created', 'trace.failed'])
    const escalation = { evaluated: true, required: true, reason: 'asked' }
    expect(eventOf({ escalation }).type).toBe('trace.escalation_required')
    expect(all({ escalation })).toContain('trace.verified')
    const missed = { action: { ...TRACE.action, parameters: { amount: 50 } } }
    expect(all(missed)).toEqual(['trace.created', 'trace.failed', 'trace.escalation_required'])
  })

  it('is a policy violation first, and only if the policy fails', () => {
    const escalation = { evaluated: true, required: true, reason: 'asked' }
    const { type, data } = eventOf({ escalation }, FAILED)
    expect(type).toBe('policy.violation')
    expect(data.all_events).toEqual([
      'trace.created',
      'trace.verified',
      'trace.escalation_required',
      'policy.violation',
    ])
    expect(data.trace.policy).toEqual(FAILED)
    const warned = eventOf({}, { ...FAILED, verdict: 'warn' })
    expect(warned).toMatchObject({ type: 'trace.verified', data: { trace: { policy: {} } } })
  })

  it('contains the main fields of the trace, with null for absent ones', () => {
    expect(eventOf().data.trace).toEqual({
      trace_id: 'tr-1',
      agent_id: 'agent-demo',
      session_id: 'sess-1',
      action: { type: 'execute', name: 'search', category: 'bounded' },
      decision: { reasoning: 'It fits.', alternatives_count: 0, values_applied: ['honesty'] },
      verification: { verified: true, violations: [], warnings: [], similarity_score: 0.8165 },
      escalation: null,
      policy: null,
    })
    const escalation = { evaluated: true, required: false, reason: 'no' }
    expect(eventOf({ escalation }).data.trace.escalation).toMatchObject({ triggered: false })
    const pending = { ...escalation, escalation_status: 'pending' as const }
    expect(eventOf({ escalation: pending }).data.trace.escalation).toMatchObject({
      triggered: true,
    })
  })

  it('truncates texts at 2000 characters without splitting one', () => {
    const long = { ...TRACE.decision, selection_reasoning: '🙂'.repeat(2001) }
    const { reasoning } = eventOf({ decision: long }).data.trace.decision
    expect(reasoning).toBe('🙂'.repeat(2000))
  })
})
