import { describe, expect, it } from 'vitest'
import { decisionsOf, type Evidence, isDue, joinEvidence, textsOf } from './evidence.ts'

const evidenceOf = (given: Partial<Evidence> = {}): Evidence => ({
  thinking: '',
  output: '',
  lines: [],
  actions: [],
  decisionIds: [],
  extractionMethod: undefined,
  isThinkingWithheld: false,
  isUngoverned: false,
  model: 'm',
  isUrgent: false,
  ...given,
})
const LONG = 'word '.repeat(120)

describe('evidence of turns', () => {
  it('waits until it is enough, urgent, or names as many decisions as a checkpoint can', () => {
    expect(isDue(evidenceOf({ output: 'Short.' }))).toBe(false)
    expect(isDue(evidenceOf({ output: LONG }))).toBe(true)
    expect(isDue(evidenceOf({ output: 'Short.', isUrgent: true }))).toBe(true)
    expect(isDue(evidenceOf({ decisionIds: Array.from({ length: 50 }, String) }))).toBe(true)
  })

  it('has the calls as text only where the words say too little', () => {
    expect(textsOf(evidenceOf({ output: 'Go.', lines: ['a({})'] })).output).toBe('Go.\na({})')
    expect(textsOf(evidenceOf({ output: LONG, lines: ['a({})'] })).output).toBe(LONG)
  })

  it('joins the turns of a session in order', () => {
    const joined = joinEvidence(
      evidenceOf({ thinking: 'a', lines: ['1'], decisionIds: ['d1'], isThinkingWithheld: true }),
      evidenceOf({ thinking: 'b', output: 'c', lines: ['2'], decisionIds: ['d2'] }),
    )
    expect(joined).toMatchObject({
      thinking: 'a\nb',
      output: 'c',
      lines: ['1', '2'],
      decisionIds: ['d1', 'd2'],
      isThinkingWithheld: true,
    })
  })

  it('replaces characters that cannot be stored, and names each decision once', () => {
    expect(textsOf(evidenceOf({ thinking: 'a\0b\ud800' })).thinking).toBe('a\ufffdb\ufffd')
    expect(decisionsOf(evidenceOf({ decisionIds: ['d', 'd'] }))).toEqual(['d'])
  })
})
