import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PROVENANCES } from '../evidence/provenance.ts'
import { sumAssuranceDays, utcDay } from './assurance.ts'
import { type AssuredCheckpoint, createAssuranceDays } from './assurance-day.ts'

const AT_MS = Date.parse('2026-03-01T23:59:59.999Z')

function checkpoint(change: Partial<AssuredCheckpoint> = {}): AssuredCheckpoint {
  return { receivedAtMs: AT_MS, verdict: 'clear', provenance: 'reported', flags: [], ...change }
}

function daysOf(checkpoints: readonly AssuredCheckpoint[]) {
  const days = createAssuranceDays()
  for (const one of checkpoints) days.add(one)
  return days.days()
}

describe('createAssuranceDays', () => {
  it('splits checkpoints at midnight UTC', () => {
    const days = daysOf([checkpoint(), checkpoint({ receivedAtMs: AT_MS + 1 })])
    expect(days.map(({ day }) => day)).toEqual([utcDay(AT_MS), utcDay(AT_MS) + 1])
  })

  it('sets a clear checkpoint aside once, and counts each reason', () => {
    const flags = ['word_salad', 'low_novelty', 'burst']
    expect(daysOf([checkpoint({ flags, provenance: 'observed' })])).toEqual([
      {
        day: utcDay(AT_MS),
        clear: 1,
        setAsideByBurst: 1,
        setAsideByNovelty: 1,
        effective: 0,
        observed: 0,
        relayed: 0,
      },
    ])
  })

  it('never sets a violation aside', () => {
    const violation = checkpoint({ verdict: 'boundary_violation', flags: ['burst'] })
    expect(daysOf([violation])).toMatchObject([{ clear: 0, setAsideByBurst: 0, effective: 1 }])
  })

  it('counts who saw the effective ones', () => {
    const all = PROVENANCES.map((provenance) => {
      return checkpoint({ provenance })
    })
    expect(daysOf(all)).toMatchObject([{ effective: 4, observed: 1, relayed: 1 }])
  })

  it('gives the same sums in any order', () => {
    const anyCheckpoint = fc.record({
      receivedAtMs: fc.integer({ min: AT_MS - 100 * 86_400_000, max: AT_MS }),
      verdict: fc.constantFrom('clear', 'review_needed', 'boundary_violation'),
      provenance: fc.constantFrom(...PROVENANCES),
      flags: fc.subarray(['burst', 'low_novelty', 'word_salad', 'uniform_timing']),
    })
    fc.assert(
      fc.property(fc.array(anyCheckpoint), (some) => {
        const sums = (list: readonly AssuredCheckpoint[]) => sumAssuranceDays(daysOf(list), AT_MS)
        expect(sums(some.toReversed())).toEqual(sums(some))
      }),
    )
  })
})
