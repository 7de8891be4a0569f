import { describe, expect, it } from 'vitest'
import { standingOf } from './grade.ts'
import { readVectors } from './score-input.fixture.ts'

type Case = { score: number; grade: string; tier: string }
const { cases } = readVectors<{ cases: Case[] }>('composite')

describe('standingOf', () => {
  it.each(cases)('$score is $grade, $tier', ({ score, grade, tier }) => {
    expect(standingOf(score)).toEqual({ grade, tier })
  })

  it.each([
    [1000, 'AAA'],
    [900, 'AAA'],
    [899, 'AA'],
    [800, 'AA'],
    [799, 'A'],
    [700, 'A'],
    [699, 'BBB'],
    [600, 'BBB'],
    [599, 'BB'],
    [500, 'BB'],
    [499, 'B'],
    [400, 'B'],
    [399, 'CCC'],
    [0, 'CCC'],
  ])('puts %i in %s', (score, grade) => {
    expect(standingOf(score).grade).toBe(grade)
  })

  it('is Not Rated without a score', () => {
    expect(standingOf(null)).toEqual({ grade: 'NR', tier: 'Not Rated' })
  })
})
