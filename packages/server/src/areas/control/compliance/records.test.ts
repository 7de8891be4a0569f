import { describe, expect, it } from 'vitest'
import { anAmendment, aReclassification, aSnapshot, aViolation } from './compliance.fixture.ts'
import { FIELDS, toAmendment, toReclassification, toSnapshot, toViolation } from './records.ts'

const at = new Date('2026-03-02T00:00:00.000Z')

describe('the records of an export', () => {
  it.each([
    ['violations', toViolation(aViolation())],
    ['reclassifications', toReclassification(aReclassification(), at)],
    ['card_amendments', toAmendment(anAmendment())],
    ['score_history', toSnapshot(aSnapshot())],
  ] as const)('of %s have their documented fields in the documented order', (section, record) => {
    expect(Object.keys(record)).toEqual(FIELDS[section])
  })

  it('prefix a certificate hash with its algorithm, and have null without a certificate', () => {
    expect(toViolation(aViolation()).certificate_hash).toBe(`sha256:${'a'.repeat(64)}`)
    expect(toViolation(aViolation({ certificateHash: null })).certificate_hash).toBeNull()
  })

  it('show a reclassification as pending if a score included it only later', () => {
    const pending = { score_before: 700, score_after: null, recomputation_pending: true }
    const settled = { score_before: 700, score_after: 750, recomputation_pending: false }
    const impactOf = (recomputedAt: Date | null) =>
      toReclassification(aReclassification({ recomputedAt }), at).score_impact
    expect(impactOf(null)).toEqual({ ...pending })
    expect(impactOf(new Date(at.getTime() + 1))).toEqual(pending)
    expect(impactOf(at)).toEqual(settled)
  })
})
