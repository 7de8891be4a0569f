import { describe, expect, it } from 'vitest'
import { type CallRecord, evidenceOf } from './evidence.ts'

const AT = new Date('2026-03-01T12:00:00.000Z')

function evidenceWith(changes: Partial<CallRecord> = {}) {
  let count = 0
  return evidenceOf({
    agentId: 'agent-1',
    call: { tool: 'shop_search', sessionId: 's1', action: 'search', arguments: { order: 7 } },
    verdict: {
      decision: 'allow',
      source: 'service',
      reasons: [],
      decisionId: 'dec-1',
      escalationId: null,
      notices: [],
    },
    outcome: 'succeeded',
    values: ['honesty'],
    recordArguments: false,
    at: AT,
    newId: () => String(count++),
    ...changes,
  })
}

describe('evidenceOf', () => {
  it('links trace, checkpoint and decision by id', () => {
    const { trace, checkpoint } = evidenceWith()
    expect(checkpoint.trace_id).toBe(trace.trace_id)
    expect(trace.context).toEqual({
      session_id: 's1',
      metadata: {
        integrity_checkpoint_id: checkpoint.checkpoint_id,
        decision_id: 'dec-1',
        decided_by: 'service',
        outcome: 'succeeded',
      },
    })
    expect([trace.timestamp, checkpoint.timestamp]).toEqual([AT.toISOString(), AT.toISOString()])
  })

  it('uses the call as the output to analyse, and never the result', () => {
    const { checkpoint } = evidenceWith()
    expect(checkpoint).toMatchObject({
      output: 'Call shop_search with {"order":7}.',
      actions: ['search'],
      session_id: 's1',
    })
    expect(checkpoint).not.toHaveProperty('thinking')
  })

  it('leaves arguments out of the trace unless recordArguments is set', () => {
    expect(evidenceWith().trace.action).not.toHaveProperty('parameters')
    expect(evidenceWith({ recordArguments: true }).trace.action.parameters).toEqual({ order: 7 })
  })

  it('records a refused call as not executed, and lists no tools to evaluate again', () => {
    const reasons = [{ code: 'forbidden', message: 'No shell' }]
    const verdict = { ...VERDICT, decision: 'block' as const, reasons }
    const { trace } = evidenceWith({ verdict, outcome: 'refused' })
    expect(trace).toMatchObject({
      action: { type: 'deny', category: 'escalation_trigger' },
      decision: { selection_reasoning: 'No shell' },
      escalation: { evaluated: true, required: false, reason: 'No shell' },
      tools: [],
    })
  })

  it('records the escalation and its outcome', () => {
    const verdict = { ...VERDICT, decision: 'warn' as const, escalationId: 'esc-1' }
    expect(evidenceWith({ verdict, approval: 'approved' }).trace.escalation).toMatchObject({
      required: true,
      escalation_id: 'esc-1',
      escalation_status: 'approved',
    })
  })

  it('truncates texts to the limits of the API', () => {
    const thinking = 'x'.repeat(500_000)
    const call = { tool: 'y'.repeat(300), sessionId: 's1', thinking }
    const { trace, checkpoint } = evidenceWith({ call })
    expect(trace.decision.selection_reasoning).toHaveLength(10_000)
    expect(trace.decision.selected).toHaveLength(256)
    expect(checkpoint.thinking).toHaveLength(400_000)
  })

  it('replaces characters that the service rejects, also at the end of a truncated text', () => {
    const thinking = `${'x'.repeat(9_999)}\u{1F4E6} \0`
    const call = { tool: 'a\0', sessionId: 's1', thinking, arguments: { 'b\0': ['\ud800'] } }
    const { trace, checkpoint } = evidenceWith({ call, recordArguments: true })
    expect(trace.tools).toEqual(['a\u{FFFD}'])
    expect(trace.action.parameters).toEqual({ 'b\u{FFFD}': ['\u{FFFD}'] })
    expect(trace.decision).toMatchObject({
      selected: 'a\u{FFFD}',
      selection_reasoning: `${'x'.repeat(9_999)}\u{FFFD}`,
    })
    expect(checkpoint.thinking).toBe(`${'x'.repeat(9_999)}\u{1F4E6} \u{FFFD}`)
  })
})

const VERDICT = {
  source: 'service',
  reasons: [],
  decisionId: 'dec-1',
  escalationId: null,
  notices: [],
} as const
