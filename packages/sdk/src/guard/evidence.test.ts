import { describe, expect, it } from 'vitest'
import {
  type CallRecord,
  checkpointOf,
  gatheredCallOf,
  toolsWithoutAction,
  traceOf,
  withActions,
} from './evidence.ts'

const AT = new Date('2026-03-01T12:00:00.000Z')

const VERDICT = {
  decision: 'allow',
  source: 'service',
  reasons: [],
  decisionId: 'dec-1',
  escalationId: null,
  notices: [],
} as const

const decided = (decisionId: string) => ({ ...VERDICT, decisionId })

function recordWith(changes: Partial<CallRecord> = {}): CallRecord {
  return {
    agentId: 'agent-1',
    traceId: 'tr-1',
    call: { tool: 'shop_search', sessionId: 's1', action: 'search', arguments: { order: 7 } },
    verdict: VERDICT,
    replacedIds: [],
    outcome: 'succeeded',
    values: ['honesty'],
    recordArguments: false,
    at: AT,
    ...changes,
  }
}

/** The records of the calls, and the checkpoint of them all. */
function evidenceOf(...records: readonly [CallRecord, ...CallRecord[]]) {
  const calls = records.map(gatheredCallOf)
  const [{ agentId, call }] = records
  const [first = gatheredCallOf(records[0])] = calls
  const gathering = {
    checkpointId: 'ic-1',
    sessionId: call.sessionId,
    startedAtMs: 0,
    calls,
    newest: calls.at(-1) ?? first,
  }
  const checkpoint = checkpointOf(agentId, gathering)
  if (checkpoint === undefined) throw new Error('there is no checkpoint')
  return { trace: traceOf(records[0], 'ic-1'), checkpoint }
}

const evidenceWith = (changes: Partial<CallRecord> = {}) => evidenceOf(recordWith(changes))

describe('the evidence of a call', () => {
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
    expect(trace.decision_id).toBe('dec-1')
    expect([trace.timestamp, checkpoint.timestamp]).toEqual([AT.toISOString(), AT.toISOString()])
  })

  it('uses the call as the output to analyse, and never the result', () => {
    const { checkpoint } = evidenceWith()
    expect(checkpoint).toMatchObject({
      output: 'shop_search({"order":7})',
      decision_ids: ['dec-1'],
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

  it('writes arguments as canonical JSON and cuts their strings', () => {
    const args = { z: 'x'.repeat(201), a: [{ c: 1, b: `${'y'.repeat(199)}\u{1F4E6}` }] }
    const call = { tool: 'shop_search', sessionId: 's1', arguments: args }
    expect(evidenceWith({ call }).checkpoint.output).toBe(
      `shop_search({"a":[{"b":"${'y'.repeat(199)}\u{FFFD}","c":1}],"z":"${'x'.repeat(200)}"})`,
    )
  })

  it('is made of arguments without a JSON form too', () => {
    const circular: Record<string, unknown> = { order: 1n }
    circular['self'] = circular
    const call = { tool: 'shop_search', sessionId: 's1', arguments: circular }
    const { trace, checkpoint } = evidenceWith({ call, recordArguments: true })
    expect(checkpoint.output).toBe('shop_search({})')
    expect(trace.action.parameters).toEqual({})
  })

  it('names no decision if the service made none', () => {
    const verdict = { ...VERDICT, source: 'local', decisionId: null } as const
    const { trace, checkpoint } = evidenceWith({ verdict })
    expect(trace).not.toHaveProperty('decision_id')
    expect(checkpoint).not.toHaveProperty('decision_ids')
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

describe('the checkpoint of several calls', () => {
  it('has a line for each, their words once, and all decisions', () => {
    const thinking = 'The customer asks where it is.'
    const call = { tool: 'shop_search', sessionId: 's1', justification: 'She asked.', thinking }
    const { checkpoint } = evidenceOf(
      recordWith({ call }),
      recordWith({ call: { ...call, arguments: { order: 7 } }, verdict: decided('dec-2') }),
      recordWith({
        traceId: 'tr-3',
        call: { tool: 'shop_refund', sessionId: 's1', action: 'refund' },
        verdict: decided('dec-4'),
        replacedIds: ['dec-3'],
      }),
    )
    expect(checkpoint).toMatchObject({
      trace_id: 'tr-3',
      thinking: `She asked.\n${thinking}`,
      output: 'shop_search({})\nshop_search({"order":7})\nshop_refund({})',
      actions: ['shop_search', 'refund'],
      decision_ids: ['dec-1', 'dec-2', 'dec-3', 'dec-4'],
    })
  })

  it('names the actions of the card, where the tools have some', () => {
    const call = { tool: 'shop_search', sessionId: 's1' }
    const other = { tool: 'shop_refund', sessionId: 's1' }
    const given = recordWith({ call: { ...other, action: 'refund' } })
    const { checkpoint } = evidenceOf(recordWith({ call }), recordWith({ call: other }), given)
    const trace = traceOf(recordWith({ call }), 'ic-1')
    const evidence = { tools: ['shop_search', 'shop_refund'], trace, checkpoint }
    expect(toolsWithoutAction(evidence)).toEqual(['shop_search', 'shop_refund'])
    const named = withActions(evidence, new Map([['shop_search', ['look', 'read']]]))
    expect(named.checkpoint?.actions).toEqual(['look', 'read', 'shop_refund', 'refund'])
    expect(named.trace?.action.name).toBe('look, read')
    const whole = { tools: ['shop_refund'], trace: undefined, checkpoint: undefined }
    expect(withActions(whole, new Map())).toEqual(whole)
    expect(toolsWithoutAction(whole)).toEqual([])
  })

  it.each([
    ['allow', null, false],
    ['warn', null, false],
    ['allow', 'esc-1', true],
    ['escalate', 'esc-1', true],
    ['block', null, true],
  ] as const)('is sent at once for %s with the escalation %s: %s', (decision, escalationId, is) => {
    const verdict = { ...VERDICT, decision, escalationId }
    expect(gatheredCallOf(recordWith({ verdict })).isUrgent).toBe(is)
  })
})
