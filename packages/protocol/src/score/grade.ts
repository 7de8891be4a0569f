/** Best first; a grade covers the scores from its minimum up to the minimum of the grade before. */
export const GRADES = [
  { grade: 'AAA', tier: 'Exemplary', scoreMin: 900 },
  { grade: 'AA', tier: 'Established', scoreMin: 800 },
  { grade: 'A', tier: 'Reliable', scoreMin: 700 },
  { grade: 'BBB', tier: 'Developing', scoreMin: 600 },
  { grade: 'BB', tier: 'Emerging', scoreMin: 500 },
  { grade: 'B', tier: 'Concerning', scoreMin: 400 },
  { grade: 'CCC', tier: 'Critical', scoreMin: 0 },
] as const

export type Grade = (typeof GRADES)[number]['grade']
export type Tier = (typeof GRADES)[number]['tier']

/** The standing of a subject without enough evidence. */
export const NOT_RATED = { grade: 'NR', tier: 'Not Rated' } as const

export type Standing = { grade: Grade; tier: Tier } | typeof NOT_RATED

const LOWEST = GRADES[6]

/** The grade and tier of a score; Not Rated for null. */
export function standingOf(score: number): { grade: Grade; tier: Tier }
export function standingOf(score: number | null): Standing
export function standingOf(score: number | null): Standing {
  if (score === null) return NOT_RATED
  const { grade, tier } = GRADES.find(({ scoreMin }) => score >= scoreMin) ?? LOWEST
  return { grade, tier }
}
