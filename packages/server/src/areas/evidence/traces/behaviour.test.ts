import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { behaviourOf, FLAGS_MAX } from './behaviour.ts'
import type { Trace } from './trace.ts'

const action: Trace['action'] = { type: 'execute', category: 'bounded', name: 'search' }
const decision: Trace['decision'] = {
  selected: 'a',
  selection_reasoning: 'It fits.',
  values_applied: ['honesty'],
}
const option = (...flags: string[]) => ({ option_id: 'o', description: 'd', flags })

const valuesOf = (...values: string[]) =>
  behaviourOf({ action, decision: { ...decision, values_applied: values } }).valuesApplied

describe('behaviourOf', () => {
  it('keeps exactly the fields that drift compares', () => {
    const alternatives = [option('f', 'g'), { option_id: 'o', description: 'd' }, option('f')]
    const escalation = { evaluated: true, required: false, reason: 'r' }
    const given = {
      action: { ...action, parameters: { text: 'long' } },
      decision: { ...decision, confidence: 0, alternatives_considered: alternatives },
    }
    expect(behaviourOf({ ...given, escalation })).toEqual({
      action,
      valuesApplied: ['honesty'],
      confidence: 0,
      escalation: { required: false, status: undefined },
      flags: ['f', 'g'],
    })
    const denied = { ...escalation, escalation_status: 'denied' as const }
    expect(behaviourOf({ ...given, escalation: denied }).escalation?.status).toBe('denied')
    expect(behaviourOf({ action, decision }).escalation).toBeUndefined()
  })

  it('distinguishes equal and different texts of any length', () => {
    const text = fc.string({ maxLength: 20 }).map((tail) => `${'v'.repeat(15)}${tail}`)
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [first, second] = valuesOf(one, other)
        expect(first === second).toBe(one === other)
      }),
    )
  })

  it('keeps short texts and repeated values unchanged', () => {
    const longest = 'v'.repeat(24)
    expect(valuesOf(longest, longest, 'honesty')).toEqual([longest, longest, 'honesty'])
    expect(valuesOf('é'.repeat(13))).toEqual([expect.stringMatching(/^#[0-9a-f]{24}$/)])
  })

  it('is bounded, whatever the trace contains', () => {
    const flags = Array.from({ length: 5000 }, (_, n) => `flag-${n}`)
    const full = behaviourOf({
      action: { ...action, name: 'n'.repeat(256) },
      decision: {
        ...decision,
        values_applied: Array.from({ length: 50 }, (_, n) => `${n}${'é'.repeat(1200)}`),
        alternatives_considered: [option('é'.repeat(20_000), ...flags)],
      },
    })
    expect(full.flags).toHaveLength(FLAGS_MAX)
    expect(JSON.stringify(full).length).toBeLessThan(4000)
  })
})
