import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frameOf, idsIn, keysOf, pack, split, textOf } from './frame.ts'

const createdAt = new Date('2026-03-01T10:00:00Z')
const eventOf = (type: string, data: object) => ({ id: 'evt-1', type, createdAt, data })

describe('frameOf', () => {
  it('contains ids, verdicts and scores, but no free text', () => {
    const data = {
      agent_id: 'a',
      checkpoint_id: 'ic-1',
      session_id: 's',
      verdict: 'clear',
      synthetic: false,
      concerns: [{ description: 'x' }],
      reasoning_summary: 'secret',
    }
    expect(frameOf(eventOf('integrity.checkpoint', data))?.data).toEqual({
      agent_id: 'a',
      checkpoint_id: 'ic-1',
      session_id: 's',
      verdict: 'clear',
      synthetic: false,
    })
  })

  it('takes the fields of a trace event from its trace', () => {
    const data = {
      all_events: ['trace.created'],
      trace: { trace_id: 't', agent_id: 'a', policy: {} },
    }
    expect(frameOf(eventOf('trace.created', data))?.data).toEqual({ trace_id: 't', agent_id: 'a' })
  })

  it('does not stream plans and quotas', () => {
    expect(frameOf(eventOf('quota.warning', { meter: 'checks' }))).toBeUndefined()
    expect(frameOf(eventOf('subscription.status_changed', { status: 'active' }))).toBeUndefined()
  })
})

describe('textOf', () => {
  it('is one server-sent event', () => {
    const data = { agent_id: 'a\nid: x', verdict: 'clear' }
    expect(textOf({ id: 'evt-1', type: 'integrity.checkpoint', at: createdAt, data })).toBe(
      'event: integrity.checkpoint\nid: evt-1\ndata: {"type":"integrity.checkpoint",' +
        '"time":"2026-03-01T10:00:00.000Z","agent_id":"a\\nid: x","verdict":"clear"}\n\n',
    )
  })

  it('has no id for a frame that is not in the outbox', () => {
    expect(textOf({ type: 'gateway.decision', at: createdAt, data: {} })).not.toMatch(/^id:/m)
  })
})

describe('keysOf', () => {
  it('is the id of an event, and of a decision without an event', () => {
    const data = { decision_id: 'dec-1' }
    expect(keysOf(textOf({ type: 'gateway.decision', at: createdAt, data }))).toEqual(['dec-1'])
    const blocked = { id: 'evt-1', type: 'decision.blocked', at: createdAt, data }
    expect(keysOf(textOf(blocked))).toEqual(['evt-1'])
    expect(keysOf('event: open\ndata: {}\n\n')).toEqual([])
  })
})

describe('pack', () => {
  it('keeps every frame that fits, in order, and never exceeds the byte limit', () => {
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }))
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 100 }), (given, bytesMax) => {
        const packed = pack(given, bytesMax)
        const fitting = given.filter((text) => Buffer.byteLength(text) <= bytesMax)
        expect(packed.join('')).toBe(fitting.join(''))
        for (const text of packed) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytesMax)
      }),
    )
  })

  it('is reversed by split and keeps the ids readable', () => {
    const frames = ['a', 'b', 'c'].map((id) => textOf({ id, type: 't', at: createdAt, data: {} }))
    const [packed = ''] = pack(frames, 7000)
    expect(split(packed)).toEqual(frames)
    expect(idsIn(packed)).toEqual(['a', 'b', 'c'])
  })
})
