import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frameOf, idsIn, pack, split, textOf } from './frame.ts'

const createdAt = new Date('2026-03-01T10:00:00Z')
const told = (type: string, data: object) => ({ id: 'evt-1', type, createdAt, data })

describe('frameOf', () => {
  it('tells ids, verdicts and scores, and no text that somebody wrote', () => {
    const data = {
      agent_id: 'a',
      checkpoint_id: 'ic-1',
      session_id: 's',
      verdict: 'clear',
      synthetic: false,
      concerns: [{ description: 'x' }],
      reasoning_summary: 'secret',
    }
    expect(frameOf(told('integrity.checkpoint', data))?.data).toEqual({
      agent_id: 'a',
      checkpoint_id: 'ic-1',
      session_id: 's',
      verdict: 'clear',
      synthetic: false,
    })
  })

  it('finds what a trace event says of its trace', () => {
    const data = {
      all_events: ['trace.created'],
      trace: { trace_id: 't', agent_id: 'a', policy: {} },
    }
    expect(frameOf(told('trace.created', data))?.data).toEqual({ trace_id: 't', agent_id: 'a' })
  })

  it('keeps plans and quotas to those who may read them', () => {
    expect(frameOf(told('quota.warning', { meter: 'checks' }))).toBeUndefined()
    expect(frameOf(told('subscription.status_changed', { status: 'active' }))).toBeUndefined()
  })
})

describe('textOf', () => {
  it('is one event in the form of server-sent events', () => {
    const data = { agent_id: 'a\nid: x', verdict: 'clear' }
    expect(textOf({ id: 'evt-1', type: 'integrity.checkpoint', at: createdAt, data })).toBe(
      'event: integrity.checkpoint\nid: evt-1\ndata: {"type":"integrity.checkpoint",' +
        '"time":"2026-03-01T10:00:00.000Z","agent_id":"a\\nid: x","verdict":"clear"}\n\n',
    )
  })

  it('has no id where the outbox has none', () => {
    expect(textOf({ type: 'gateway.decision', at: createdAt, data: {} })).not.toMatch(/^id:/m)
  })
})

describe('pack', () => {
  it('keeps every frame that fits, in order, and never exceeds the bytes', () => {
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

  it('is undone by split, and the ids can be read off', () => {
    const frames = ['a', 'b', 'c'].map((id) => textOf({ id, type: 't', at: createdAt, data: {} }))
    const [packed = ''] = pack(frames, 7000)
    expect(split(packed)).toEqual(frames)
    expect(idsIn(packed)).toEqual(['a', 'b', 'c'])
  })
})
