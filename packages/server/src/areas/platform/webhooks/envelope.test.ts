import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { BODY_BYTES_MAX, bodyOf, type EventRecord, namesOf } from './envelope.ts'

const eventOf = (type: string, data: object): EventRecord => ({
  id: 'evt-1',
  type,
  accountId: 'ba-1',
  createdAt: new Date('2026-03-01T00:00:00.000Z'),
  data,
})

const trace = { trace_id: 'tr-1', agent_id: 'agent-1', session_id: null, policy: null }

describe('the body of an event', () => {
  it('matches the example of the specification exactly', () => {
    const data = {
      alert_id: 'ida-1',
      agent_id: 'agent-1',
      org_id: 'org-1',
      resolution: 'acknowledged',
      acknowledged_by: 'user-1',
    }
    expect(bodyOf(eventOf('drift.resolved', data))).toBe(
      '{"id":"evt-1","type":"drift.resolved","created_at":"2026-03-01T00:00:00.000Z","account_id":"ba-1","data":{"alert_id":"ida-1","agent_id":"agent-1","org_id":"org-1","resolution":"acknowledged","acknowledged_by":"user-1"}}',
    )
  })

  it('of a trace contains the most specific event type and all types', () => {
    const all_events = ['trace.created', 'trace.failed', 'policy.violation']
    const event = eventOf('policy.violation', { all_events, trace })
    expect(namesOf(event)).toEqual(all_events)
    expect(JSON.parse(bodyOf(event))).toEqual({
      id: 'evt-1',
      event: 'policy.violation',
      all_events,
      created_at: '2026-03-01T00:00:00.000Z',
      timestamp: '2026-03-01T00:00:00.000Z',
      account_id: 'ba-1',
      trace,
    })
  })
})

describe('a body over 65,536 bytes', () => {
  const parse = (data: object) => JSON.parse(bodyOf(eventOf('integrity.checkpoint', data)))

  it('is truncated, but not one of exactly that size', () => {
    const rest = bodyOf(eventOf('integrity.checkpoint', { text: '' })).length
    const whole = 'x'.repeat(BODY_BYTES_MAX - rest)
    expect(parse({ text: whole })).toMatchObject({ data: { text: whole } })
    expect(parse({ text: whole })).not.toHaveProperty('truncated')
    expect(parse({ text: `${whole}x` })).toMatchObject({
      truncated: true,
      data: { text: 'x'.repeat(1000) },
    })
  })

  it('counts bytes, not characters, and cuts between characters', () => {
    const cut = parse({ text: '😀'.repeat(20_000) })
    expect(cut.data.text).toBe('😀'.repeat(1000))
  })

  it('loses long strings first, then items of arrays, then everything but ids', () => {
    const short = Array.from({ length: 30 }, (_, i) => ({ i, text: 'y'.repeat(3000) }))
    const texts = parse({ checkpoint_id: 'ic-1', concerns: short })
    expect(texts.data.concerns).toHaveLength(30)
    expect(texts.data.concerns[29]).toEqual({ i: 29, text: 'y'.repeat(1000) })

    const many = Array.from({ length: 200 }, (_, i) => ({ i, text: 'y'.repeat(3000) }))
    const lists = parse({ checkpoint_id: 'ic-1', concerns: many })
    expect(lists.data.concerns).toHaveLength(20)

    const deep = Array.from({ length: 20 }, () => Array.from({ length: 20 }, () => many[0]))
    const ids = parse({ checkpoint_id: 'ic-1', agent_ids: ['agent-1'], deep, verdict: 'clear' })
    expect(ids).toMatchObject({ id: 'evt-1', type: 'integrity.checkpoint', truncated: true })
    expect(ids.data).toEqual({ checkpoint_id: 'ic-1', agent_ids: ['agent-1'] })
  })

  it('of a trace keeps its envelope', () => {
    const huge = { ...trace, tools: Array.from({ length: 90_000 }, () => 'tool') }
    const all_events = ['trace.created']
    const body = JSON.parse(bodyOf(eventOf('trace.created', { all_events, trace: huge })))
    expect(body).toMatchObject({ event: 'trace.created', all_events, truncated: true })
    expect(body.trace).toMatchObject({ trace_id: 'tr-1', policy: null })
    expect(body.trace.tools).toHaveLength(20)
  })

  it('is never produced', () => {
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        fc.string({ minLength: 500, maxLength: 5000 }),
        fc.array(tie('node'), { minLength: 10, maxLength: 40 }),
        fc.dictionary(fc.string({ maxLength: 10 }), tie('node'), { maxKeys: 20 }),
      ),
    })).node
    fc.assert(
      fc.property(value, (inner) => {
        const body = bodyOf(eventOf('team.created', { team_id: 'team-1', inner }))
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(BODY_BYTES_MAX)
        expect(JSON.parse(body).data.team_id).toBe('team-1')
      }),
      runs(30),
    )
  })
})
