import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AssuranceLevel } from './assurance.ts'
import { BADGE_VARIANTS, type Badge, type BadgeVariant, badgeEtag, badgeSvg } from './badge.ts'
import { GRADES, type Grade, standingOf, type Tier } from './grade.ts'

type WireSubject =
  | { state: 'rated'; score: number; grade: Grade; tier: Tier; trend_30d: number }
  | Exclude<Badge['subject'], { state: 'rated' }>
type Case = {
  file: string
  label: string
  variant: BadgeVariant
  subject: WireSubject
  assurance?: AssuranceLevel | null
  etag: string
}
const read = (name: string) =>
  readFileSync(new URL(`../../../../vectors/badge/${name}`, import.meta.url), 'utf8')
const { cases }: { cases: Case[] } = JSON.parse(read('cases.json'))

function toSubject(wire: WireSubject): Badge['subject'] {
  if (wire.state !== 'rated') return wire
  const { trend_30d, ...rest } = wire
  return { ...rest, trend30d: trend_30d }
}

const rated = (score: number, trend30d = 0): Badge['subject'] => {
  return { state: 'rated', score, ...standingOf(score), trend30d }
}
const texts = (svg: string) =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text)
const widthOf = (svg: string) => Number(/<svg [^>]*width="(\d+)"/.exec(svg)?.[1])
const unescapeXml = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

describe('the published badges', () => {
  it.each(cases)('$file', ({ file, label, variant, subject, assurance, etag }) => {
    const badge = { label, variant, subject: toSubject(subject) }
    const svg = badgeSvg(assurance === undefined ? badge : { ...badge, assurance })
    expect(svg).toBe(read(file))
    expect(badgeEtag(svg)).toBe(etag)
  })
})

describe('badgeSvg', () => {
  const building: Badge['subject'] = { state: 'building', count: 23, needed: 50 }
  const label = 'Touchstone'

  it.each<[BadgeVariant, string[], string[], string[]]>([
    ['score', [label, '782'], [label, 'Building 23/50'], [label, 'Not Rated']],
    ['score_tier', [label, '782 Reliable'], [label, 'Building 23/50'], [label, 'Not Rated']],
    ['score_trend', [label, '782 ↑'], [label, 'Building 23/50'], [label, 'Not Rated']],
    ['compact', ['782'], ['23/50'], ['Not Rated']],
  ])('shows the specified texts in the variant %s', (variant, one, two, three) => {
    const shown = (subject: Badge['subject']) => texts(badgeSvg({ label, variant, subject }))
    expect(shown(rated(782, 1))).toEqual(one)
    expect(shown(building)).toEqual(two)
    expect(shown({ state: 'not_rated' })).toEqual(three)
  })

  it.each([
    [1, '↑'],
    [0, '→'],
    [-1, '↓'],
  ])('shows a trend of %i as %s', (trend, arrow) => {
    const subject = rated(782, trend)
    expect(texts(badgeSvg({ label, variant: 'score_trend', subject }))[1]).toBe(`782 ${arrow}`)
  })

  it.each<[BadgeVariant, Badge['subject'], number]>([
    ['score', rated(782), 82 + 33],
    ['score_tier', rated(782), 82 + 96],
    ['score', building, 82 + 110],
    ['compact', rated(782), 33],
  ])('is as wide as its segments in the variant %s', (variant, subject, width) => {
    expect(widthOf(badgeSvg({ label, variant, subject }))).toBe(width)
  })

  it('keeps the label in the title of the compact variant', () => {
    const svg = badgeSvg({ label, variant: 'compact', subject: rated(782) })
    expect(svg).toContain('aria-label="Touchstone: 782"')
    expect(svg).toContain('<title>Touchstone: 782</title>')
  })

  it('escapes every label, and contains no references', () => {
    const anyLabel = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
    const hostile = fc.constantFrom(
      '"><script>alert(1)</script>',
      ']]>',
      "' onload='x",
      '&amp;',
      '\0',
      '\ud800',
    )
    fc.assert(
      fc.property(
        fc.oneof(anyLabel, hostile),
        fc.constantFrom(...BADGE_VARIANTS),
        (text, variant) => {
          const svg = badgeSvg({ label: text, variant, subject: rated(782) })
          const plain = badgeSvg({ label: '', variant, subject: rated(782) })
          const tags = (body: string) => body.match(/<\/?[a-z]+/g)
          expect(tags(svg)).toEqual(tags(plain))
          const title = /<title>([^<]*): (?:782|A)[^<]*<\/title>/.exec(svg)?.[1] ?? 'none'
          const allowed = [...text].map((c) => (isXml(c) ? c : '\u{fffd}')).join('')
          expect(unescapeXml(title)).toBe(allowed)
          expect(title).not.toMatch(/["'>]|&(?!amp;|lt;|gt;|quot;|#39;)/)
        },
      ),
    )
  })

  it.each(BADGE_VARIANTS)(
    'draws %s with a hollow right half below level 2, whatever the subject',
    (variant) => {
      const isHollow = (assurance: AssuranceLevel | null, subject: Badge['subject']) =>
        badgeSvg({ label, variant, subject, assurance }).includes('fill="#ffffff"/>')
      const levels = [null, 0, 1, 2, 3, 4] as const
      expect(levels.map((level) => isHollow(level, rated(782)))).toEqual([
        true,
        true,
        true,
        false,
        false,
        false,
      ])
      expect(isHollow(null, building)).toBe(true)
      expect(badgeSvg({ label, variant, subject: rated(782) })).not.toContain('fill="#ffffff"/>')
    },
  )

  it('has readable text on each of its colours', () => {
    const subjects = [...GRADES.map(({ scoreMin }) => rated(scoreMin)), building]
    const badges: Badge[] = subjects.flatMap((subject): Badge[] => {
      const badge = { label, variant: 'score', subject } as const
      return [badge, { ...badge, assurance: 0 }]
    })
    for (const badge of badges) {
      const svg = badgeSvg(badge)
      const fills = [...svg.matchAll(/fill="(#[0-9a-f]{6})"/g)].map(([, colour]) => colour ?? '')
      const [left = '', right = '', leftText = '', rightText = ''] = fills
      expect(contrast(left, leftText)).toBeGreaterThan(4.5)
      expect(contrast(right, rightText)).toBeGreaterThan(4.5)
    }
  })
})

/** XML 1.0 §2.2. */
function isXml(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || code >= 0x10000
}

/** The WCAG 2.1 contrast ratio. */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
