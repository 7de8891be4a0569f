import {
  ASSURANCE_LEVELS,
  ASSURANCE_LIMITS,
  CHECKPOINTS_MIN,
  COMPONENTS,
  CONFIDENCE_LEVELS,
  FORECAST_DAYS,
  GRADES,
  METHODOLOGY,
  VIOLATION_HALF_LIFE_HOURS,
} from '@touchstone/protocol/score'
import { TEAM_COMPONENTS } from '@touchstone/protocol/teams'
import { describe, expect, it } from 'vitest'
import { complianceOf, workedExample } from './example.ts'
import { methodologyPage, type Settings } from './page.ts'
import { contentPolicy } from './policy.ts'

const SETTINGS: Settings = { providerId: 'acme', antiGaming: 'exclude', analyzer: 'rules' }
const page = methodologyPage(SETTINGS)

/** The cells of the table with this caption, row by row, without markup. */
function rowsOf(caption: string): string[][] {
  const table = page.split('<table>').find((part) => part.includes(`<caption>${caption}</caption>`))
  return [...(table ?? '').matchAll(/<tr>(.*)<\/tr>/g)].slice(1).map(([, row]) =>
    [...(row ?? '').matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => {
      return (cell ?? '')
        .replace(/<small>.*<\/small>/, '')
        .replace(/<[^>]+>/g, '')
        .trim()
    }),
  )
}

describe('methodologyPage', () => {
  it('lists every component with its weight', () => {
    const rows = rowsOf('Components and weights').map((row) => row.slice(0, 2))
    expect(rows).toEqual(
      COMPONENTS.map(({ label, weightTenths }) => [label, `${10 * weightTenths}%`]),
    )
  })

  it('lists every component of a team score with its weight', () => {
    const rows = rowsOf('Components and weights of a team').map((row) => row.slice(0, 2))
    expect(rows).toEqual(TEAM_COMPONENTS.map(({ label, percent }) => [label, `${percent}%`]))
  })

  it('lists every grade with its bounds, without gaps or overlaps', () => {
    const rows = rowsOf('Grades')
    expect(rows.map(([grade]) => grade)).toEqual([...GRADES.map(({ grade }) => grade), 'NR'])
    const bounds = rows.slice(0, GRADES.length).map((row) => row[1]?.split('–').map(Number))
    expect(bounds[0]?.[1]).toBe(1000)
    expect(bounds.map((bound) => bound?.[0])).toEqual(GRADES.map(({ scoreMin }) => scoreMin))
    bounds.slice(1).forEach((bound, at) => {
      expect(bound?.[1]).toBe((bounds[at]?.[0] ?? 0) - 1)
    })
  })

  it('lists every confidence level with its bounds', () => {
    expect(rowsOf('Confidence, by the number of checkpoints that count')).toEqual([
      ['high', '1000 or more'],
      ['medium', '200–999'],
      ['low', '50–199'],
      ['insufficient: not rated', '0–49'],
    ])
    expect(CONFIDENCE_LEVELS.map(({ checkpointsMin }) => checkpointsMin)).toEqual([
      1000, 200, 50, 0,
    ])
  })

  it('shows worked example A of the specification', () => {
    const points = rowsOf('Each component times its weight').map((row) => [row[1], row[3]])
    expect(points).toEqual([
      ['950', '380.0'],
      ['279', '55.8'],
      ['900', '180.0'],
      ['800', '80.0'],
      ['790', '79.0'],
      ['', '775'],
    ])
    expect(page).toContain('The result is 775: A, Reliable, with low confidence.')
    expect(page).toContain('in the example 710 to 795')
    expect(page).toContain('BBB 1.11%')
    expect(page).toContain('812 in 7 days, 849 in 14 days, 896 in 28 days, 917 in 56 days')
    expect(workedExample().uncertainty.recoveryForecast.map(({ days }) => days)).toEqual([
      ...FORECAST_DAYS,
    ])
  })

  it('states the compliance formula that scores are computed with', () => {
    expect(page).toContain('1000 / (1 + X)^1.5')
    for (const sessions of [1, 2, 3, 10]) {
      for (const days of [0, 3, 7, 28]) {
        const impact = sessions * 2 ** ((-24 * days) / VIOLATION_HALF_LIFE_HOURS)
        const stated = Math.floor(1000 / (1 + impact) ** 1.5 + 0.5)
        expect(complianceOf(sessions, days)).toBe(stated)
      }
    }
    expect(rowsOf('Compliance after violations').map(([, score]) => score)).toEqual([
      '354',
      '192',
      '125',
      '544',
      '716',
      '913',
      '1000',
    ])
  })

  it('states the methodology version and the minimum number of checkpoints', () => {
    expect(page).toContain(`methodology ${METHODOLOGY}`)
    expect(page).toContain(`below ${CHECKPOINTS_MIN} checkpoints`)
  })

  it('states how this service treats flagged checkpoints and which analyser it uses', () => {
    expect(page).toContain('A flagged clear checkpoint does not count')
    expect(page).toContain('This service analyses decisions with fixed rules')
    const other = methodologyPage({ ...SETTINGS, antiGaming: 'record', analyzer: 'llm' })
    expect(other).toContain('only records the flags')
    expect(other).toContain('This service analyses decisions with a language model')
  })

  it('lists every assurance level with its cap, and every limit', () => {
    const rows = rowsOf('Assurance levels').map((row) => [row[0], row[2]])
    expect(rows).toEqual(
      ASSURANCE_LEVELS.map(({ level, name, scoreMax }) => [`${level} ${name}`, `${scoreMax}`]),
    )
    expect(rowsOf('Limits').map(([code]) => code)).toEqual([...ASSURANCE_LIMITS])
  })

  it('escapes settings, so that they cannot inject markup', () => {
    const hostile = methodologyPage({ ...SETTINGS, providerId: '<script>"\'&`</script>`' })
    expect(hostile).not.toContain('<script')
    expect(hostile).toContain('&lt;script&gt;&quot;&#39;&amp;')
  })

  it('loads no external resource and runs no script', () => {
    expect(page).not.toMatch(/https?:|\/\/|<script|<link|<img|url\(|@import| style=| on[a-z]+=/)
    expect(contentPolicy()).toMatch(/^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; /)
  })

  it('has one h1, a caption for every table and a label for every section', () => {
    const count = (mark: RegExp) => [...page.matchAll(mark)].length
    expect(count(/<h1>/g)).toBe(1)
    expect(count(/<caption>/g)).toBe(count(/<table>/g))
    const ids = [...page.matchAll(/<h2 id="([a-z]+)">/g)].map(([, id]) => id)
    const named = [...page.matchAll(/aria-labelledby="([a-z]+)"/g)].map(([, id]) => id)
    expect(named).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
