import { describe, expect, it } from 'vitest'
import { actionsFor } from './action-names.ts'
import { type CallRecord, evidenceOf } from './evidence.ts'

const RECORD: CallRecord = {
  ticket: {
    ...{ tool: 'mcp__shop__refund', arguments: { order: 1182 }, thinking: undefined },
    ...{ askedAt: new Date('2026-03-01T12:00:00.000Z'), decision: undefined, reason: undefined },
  },
  ending: 'answered',
  agent: 'desk',
  session: 's-1',
  id: '00000000-0000-4000-8000-000000000001',
}

describe('evidenceOf', () => {
  it('names the action of the card, or the tool where no policy maps it', () => {
    expect(evidenceOf(RECORD, ['refund']).trace.action).toMatchObject({
      ...{ type: 'execute', name: 'refund', category: 'bounded' },
      target: { type: 'tool', identifier: 'mcp__shop__refund' },
    })
    expect(evidenceOf(RECORD, []).trace.action.name).toBe('mcp__shop__refund')
  })

  it('keeps arguments out of what is stored, and shows them to what judges', () => {
    const { trace, checkpoint } = evidenceOf(RECORD, [])
    expect(JSON.stringify(trace)).not.toContain('1182')
    expect(checkpoint).toMatchObject({
      output: 'Call of mcp__shop__refund with {"order":1182}',
      trace_id: trace.trace_id,
    })
  })

  it('tells a refusal from a call', () => {
    const { trace } = evidenceOf({ ...RECORD, ending: 'refused' }, ['refund'])
    expect(trace).toMatchObject({
      action: { type: 'deny' },
      decision: { selected: 'refused' },
      tools: [],
    })
  })

  it('stays within what the service takes', () => {
    const thinking = 'x'.repeat(50_000)
    const ticket = { ...RECORD.ticket, thinking, arguments: { text: 'y'.repeat(50_000) } }
    const { trace, checkpoint } = evidenceOf({ ...RECORD, ticket }, ['a'.repeat(300)])
    expect(trace.action.name).toHaveLength(256)
    expect(trace.decision.selection_reasoning).toHaveLength(10_000)
    expect(checkpoint['output']).toHaveLength(16_384)
    expect(checkpoint['thinking']).toBe(thinking)
  })

  it('has no character that the service refuses, also where a text was cut', () => {
    const thinking = `${'x'.repeat(9_999)}\u{1F4E6} \0`
    const ticket = { ...RECORD.ticket, tool: 'mcp__shop__\0', thinking }
    const { trace, checkpoint } = evidenceOf({ ...RECORD, ticket }, [])
    expect(trace.action.target).toMatchObject({ identifier: 'mcp__shop__\u{FFFD}' })
    expect(trace.decision.selection_reasoning).toBe(`${'x'.repeat(9_999)}\u{FFFD}`)
    expect(checkpoint['thinking']).toBe(`${'x'.repeat(9_999)}\u{1F4E6} \u{FFFD}`)
  })
})

describe('actionsFor', () => {
  it('takes the first capability by name that maps the tool', () => {
    const mappings = {
      zeta: { tools: ['mcp__shop__refund'], card_actions: ['z'] },
      alpha: { tools: ['mcp__shop__*'], card_actions: ['serve', 'refund'] },
    }
    expect(actionsFor('mcp__shop__refund', mappings)).toEqual(['serve', 'refund'])
    expect(actionsFor('mcp__mail__send', mappings)).toEqual([])
  })
})
