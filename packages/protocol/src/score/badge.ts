import { escapeXml } from '../base/escape-xml.ts'
import { sha256Hex } from '../crypto/hash.ts'
import { type AssuranceLevel, assuranceName } from './assurance.ts'
import type { Grade, Tier } from './grade.ts'

/** Teams have no assurance. */
export const TEAM_BADGE_VARIANTS = ['score', 'score_tier', 'score_trend', 'compact'] as const
export const BADGE_VARIANTS = [...TEAM_BADGE_VARIANTS, 'assurance'] as const
export type BadgeVariant = (typeof BADGE_VARIANTS)[number]

export type BadgeSubject =
  | { state: 'rated'; score: number; grade: Grade; tier: Tier; trend30d: number }
  /** Not yet eligible: the evidence so far and the evidence needed. */
  | { state: 'building'; count: number; needed: number }
  | { state: 'not_rated' }

export type Badge = {
  label: string
  variant: BadgeVariant
  subject: BadgeSubject
  /** Null for an agent that was not assessed; absent for teams, which are not. */
  assurance?: AssuranceLevel | null
}

const HEIGHT = 20
const RADIUS = 3
/** Centres 11 px capitals vertically. */
const BASELINE = 14
const BORDER = '#c4c7c5'
const LABEL_COLOURS = { fill: '#e8eaed', text: '#3c4043' }
const WHITE = '#ffffff'
const UNRATED_FILL = '#5f6368'
/** Dark enough for white text, with a contrast ratio of at least 4.5. */
const GRADE_FILLS: Record<Grade, string> = {
  AAA: '#1b6e2c',
  AA: '#2e7d32',
  A: '#3b7f2a',
  BBB: '#8a5a00',
  BB: '#9a6700',
  B: '#bc4c00',
  CCC: '#b3261e',
}

/** From this level on, the right half is filled: somebody other than the agent saw the evidence. */
const FILLED_LEVEL_MIN = 2

type Segment = {
  text: string
  x: number
  width: number
  fill: string
  colour: string
  /** The colour of the inner line of a hollow segment. */
  outline?: string
}

/** A self-contained SVG: no script, no link, and no id that could clash when inlined. */
export function badgeSvg(badge: Badge): string {
  const { label } = badge
  const value = valueText(badge)
  const title = escapeXml(`${label}: ${value}`)
  const segments = segmentsOf(badge, value)
  const width = segments.reduce((sum, segment) => sum + segment.width, 0)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    ...segments.map(({ x, width: own, fill }) => {
      const corners = { left: x === 0, right: x + own === width }
      return `<path d="${outline(x, own, corners)}" fill="${fill}"/>`
    }),
    ...segments.flatMap(({ x, width: own, outline: colour }) => {
      return colour === undefined ? [] : frame(x, own, colour)
    }),
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${HEIGHT - 1}" rx="${RADIUS - 0.5}" fill="none" stroke="${BORDER}"/>`,
    '<g font-family="Verdana, \'DejaVu Sans\', sans-serif" font-size="11" text-anchor="middle">',
    ...segments.map(({ text, x, width: own, colour }) => {
      return `<text x="${x + own / 2}" y="${BASELINE}" fill="${colour}">${escapeXml(text)}</text>`
    }),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

/** The value of the ETag header, quotes included. */
export function badgeEtag(svg: string): string {
  return `"${sha256Hex(svg).slice(0, 16)}"`
}

function valueText({ variant, subject, assurance }: Badge): string {
  if (subject.state === 'not_rated') return 'Not Rated'
  if (subject.state === 'building') {
    const progress = `${subject.count}/${subject.needed}`
    return variant === 'compact' ? progress : `Building ${progress}`
  }
  const { score, grade, tier, trend30d } = subject
  if (variant === 'score_tier') return `${score} ${tier}`
  if (variant === 'assurance') {
    return `${grade} ${assurance == null ? 'not assessed' : assuranceName(assurance)}`
  }
  return variant === 'score_trend' ? `${score} ${arrow(trend30d)}` : `${score}`
}

function arrow(trend30d: number): string {
  if (trend30d === 0) return '→'
  return trend30d > 0 ? '↑' : '↓'
}

function segmentsOf({ label, variant, subject, assurance }: Badge, value: string): Segment[] {
  const fill = subject.state === 'rated' ? GRADE_FILLS[subject.grade] : UNRATED_FILL
  const width = segmentWidth(value)
  const right = isFilled(assurance)
    ? { text: value, width, fill, colour: WHITE }
    : { text: value, width, fill: WHITE, colour: fill, outline: fill }
  if (variant === 'compact') return [{ ...right, x: 0 }]
  const { fill: labelFill, text: colour } = LABEL_COLOURS
  const labelWidth = segmentWidth(label)
  return [
    { text: label, x: 0, width: labelWidth, fill: labelFill, colour },
    { ...right, x: labelWidth },
  ]
}

function isFilled(assurance: Badge['assurance']): boolean {
  return assurance === undefined || (assurance !== null && assurance >= FILLED_LEVEL_MIN)
}

/** A line inside the edges of a segment. */
function frame(x: number, width: number, colour: string): string {
  return `<rect x="${x + 1.5}" y="1.5" width="${width - 3}" height="${HEIGHT - 3}" rx="${RADIUS - 1}" fill="none" stroke="${colour}"/>`
}

/**
 * Estimated from code points, because no fonts are available; 7 px is about Verdana's mean width.
 */
function segmentWidth(text: string): number {
  return 7 * [...text].length + 12
}

/** A rectangle of full height, rounded at the ends of the badge. */
function outline(x: number, width: number, round: { left: boolean; right: boolean }): string {
  const end = x + width
  const arc = (dx: number, dy: number) => `a${RADIUS} ${RADIUS} 0 0 1 ${dx} ${dy}`
  const right = round.right
    ? `H${end - RADIUS}${arc(RADIUS, RADIUS)}V${HEIGHT - RADIUS}${arc(-RADIUS, RADIUS)}`
    : `H${end}V${HEIGHT}`
  const left = round.left
    ? `H${x + RADIUS}${arc(-RADIUS, -RADIUS)}V${RADIUS}${arc(RADIUS, -RADIUS)}`
    : `H${x}`
  return `M${round.left ? x + RADIUS : x} 0${right}${left}z`
}
