import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CLOCK_SKEW_MS_MAX, TRACE_BYTES_MAX } from './trace.ts'
import {
  checkpointIdOf,
  completeTrace,
  readInput,
  type TraceInput,
  withCheckpointEscalation,
} from './trace-input.ts'

const NOW = new Date('2026-03-01T00:01:00.000Z')

const INPUT: TraceInput = {
  agent_id: 'agent-demo',
  action: { type: 'execute', name: 'search', category: 'bounded' },
  decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: [] },
}

describe('readInput', () => {
  it('defaults the timestamp to the time of arrival', () => {
    expect(readInput(INPUT, NOW)).toMatchObject({ ok: true, timestamp: NOW })
  })

  it('tolerates a clock skew of five minutes and no more', () => {
    const at = (ms: number) =>
      readInput({ ...INPUT, timestamp: new Date(NOW.getTime() + ms).toISOString() }, NOW)
    expect(at(CLOCK_SKEW_MS_MAX).ok).toBe(true)
    expect(at(CLOCK_SKEW_MS_MAX + 1)).toMatchObject({
      ok: false,
      field: 'timestamp',
      code: 'future',
    })
  })

  it.each([
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['a date that does not exist', '2026-02-30T00:00:00Z'],
  ])('rejects %s', (_, timestamp) => {
    const read = readInput({ ...INPUT, timestamp }, NOW)
    expect(read).toMatchObject({ ok: false, field: 'timestamp' })
  })

  it('measures the 64 KB limit in bytes, not characters', () => {
    const empty = readInput({ ...INPUT, context: { text: '' } }, NOW)
    const used = empty.ok ? empty.canonical.length : 0
    const filled = (text: string) => readInput({ ...INPUT, context: { text } }, NOW)
    expect(filled('x'.repeat(TRACE_BYTES_MAX - used)).ok).toBe(true)
    expect(filled('x'.repeat(TRACE_BYTES_MAX - used + 1))).toMatchObject({ code: 'too_large' })
    expect(filled('é'.repeat((TRACE_BYTES_MAX - used) / 2 + 1)).ok).toBe(false)
  })

  it('yields the same canonical JSON for any order of fields', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.entries(INPUT), { minLength: 3 }), (fields) => {
        const shuffled = Object.fromEntries(fields) as TraceInput
        expect(readInput(shuffled, NOW)).toEqual(readInput(INPUT, NOW))
      }),
    )
  })
})

const given = { traceId: 'tr-1', cardId: 'ac-1', timestamp: NOW }

describe('completeTrace', () => {
  it('fills in missing fields and derives the session id from agent and hour', () => {
    expect(completeTrace(INPUT, given)).toEqual({
      ...INPUT,
      trace_id: 'tr-1',
      card_id: 'ac-1',
      timestamp: '2026-03-01T00:01:00.000Z',
      context: { session_id: 'sess-fe45a8e1-492312' },
    })
  })

  it('keeps given fields, even a card that does not exist', () => {
    const context = { session_id: 's1', locale: 'en' }
    const complete = completeTrace({ ...INPUT, card_id: 'ac-other', context }, given)
    expect(complete).toMatchObject({ card_id: 'ac-other', context })
  })
})

describe('withCheckpointEscalation', () => {
  const complete = completeTrace(INPUT, given)

  it('adds an escalation for a boundary violation', () => {
    expect(withCheckpointEscalation(complete, 'boundary_violation').escalation).toEqual({
      evaluated: true,
      required: true,
      reason: 'integrity verdict boundary_violation',
      escalation_status: 'pending',
    })
  })

  it('keeps a given escalation, and adds none for other verdicts', () => {
    const escalation = { evaluated: true, required: false, reason: 'none due' }
    const withEscalation = { ...complete, escalation }
    expect(withCheckpointEscalation(withEscalation, 'boundary_violation')).toEqual(withEscalation)
    expect(withCheckpointEscalation(complete, 'clear')).toEqual(complete)
    expect(withCheckpointEscalation(complete, undefined)).toEqual(complete)
  })
})

describe('checkpointIdOf', () => {
  it('returns integrity_checkpoint_id if it is a string, otherwise undefined', () => {
    const of = (metadata: unknown) => checkpointIdOf({ context: { metadata } })
    expect(of({ integrity_checkpoint_id: 'ic-1' })).toBe('ic-1')
    for (const other of [undefined, null, 'ic-1', {}, { integrity_checkpoint_id: 7 }]) {
      expect(of(other)).toBeUndefined()
    }
    expect(checkpointIdOf({})).toBeUndefined()
  })
})
