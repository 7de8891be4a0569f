import { canonicalJson } from '@touchstone/protocol/base'
import { describe, expect, it } from 'vitest'
import { encodeRiskInputs } from './encoding.ts'
import { decodeJournal, encodeJournal, publicValues } from './journal.ts'
import { journalOf, SALT } from './receipt.fixture.ts'
import { BASE_INPUT } from './risk-inputs.fixture.ts'

const journal = journalOf(BASE_INPUT, encodeRiskInputs(BASE_INPUT, SALT))
const text = new TextDecoder().decode(encodeJournal(journal))
const decoded = (changed: string) => decodeJournal(new TextEncoder().encode(changed))

describe('the journal', () => {
  it('is canonical JSON and survives a round trip', () => {
    expect(text).toBe(canonicalJson(journal))
    expect(decodeJournal(encodeJournal(journal))).toEqual(journal)
  })

  it('maps to the expected public values', () => {
    const breakers = ['reputation_floor', 'counterparty_conflict'] as const
    const values = publicValues({ ...journal, level: 'critical', circuit_breakers: breakers })
    expect(values.slice(8)).toEqual([4224, 3, 0, 0, 1, 0, 0, 0, 0, 1])
  })

  it.each([
    ['a space', text.replace(':', ': ')],
    ['a line feed at the end', `${text}\n`],
    ['another order', text.replace(/("as_of":[^,]+),("assessment_id":[^,]+)/, '$2,$1')],
    ['a member more', text.replace('"v":1', '"u":1,"v":1')],
    ['another version', text.replace('"v":1', '"v":2')],
    ['another formula', text.replace('risk-v1', 'risk-v2')],
    ['another kind', text.replace('individual', 'team')],
    ['an unknown level', text.replace('"medium"', '"none"')],
    ['an unknown breaker', text.replace('[]', '["none"]')],
    ['a breaker twice', text.replace('[]', '["autonomy_limit","autonomy_limit"]')],
    ['breakers out of order', text.replace('[]', '["autonomy_limit","agent_contained"]')],
    ['a score above 1', text.replace('4224', '10001')],
    ['a score with a leading zero', text.replace('4224', '04224')],
    ['a fraction', text.replace('4224', '4224.0')],
    ['capital hex', text.replace(/p2bb:./, 'p2bb:A')],
    ['an element that is p', text.replace(/p2bb:.{8}/, 'p2bb:78000001')],
    ['a letter beyond ASCII', text.replace('ra-', 'rä-')],
  ])('with %s is rejected', (_, changed) => {
    expect(changed).not.toBe(text)
    expect(decoded(changed)).toBeUndefined()
  })

  it('is not encoded if it could not be decoded', () => {
    expect(() => encodeJournal({ ...journal, assessment_id: 'a"b' })).toThrow(RangeError)
    expect(() => encodeJournal({ ...journal, score_e4: -1 })).toThrow(RangeError)
  })
})
