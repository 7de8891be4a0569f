import { GRADES } from '@touchstone/protocol/score'
import { type Grade, gradeColour } from './grade.tsx'

const SCORE_MAX = 1000
const CENTRE = { x: 120, y: 122 }
const START_DEGREES = -210
const SWEEP_DEGREES = 240

export type GaugeProps = {
  score: number | null
  grade: Grade
  interval?: { low: number; high: number; level: number } | null
  /** Shown instead of the interval, such as when there is no score. */
  note?: string
}

/** A score on the 0–1000 scale: the outer bands are the grades, the inner arc is the interval. */
export function ScoreGauge({ score, grade, interval = null, note }: GaugeProps) {
  return (
    <svg
      viewBox="0 0 240 196"
      role="img"
      aria-label={gaugeLabel({ score, grade, interval })}
      className="block w-full max-w-[19rem]"
    >
      <path d={arc(0, SCORE_MAX, 92)} fill="none" stroke="var(--sunken)" strokeWidth="16" />
      {score === null ? null : (
        <path
          d={arc(0, score, 92)}
          fill="none"
          stroke={gradeColour(grade)}
          strokeWidth="16"
          strokeOpacity="0.9"
        />
      )}
      <GradeBands />
      {interval === null ? null : <Interval low={interval.low} high={interval.high} />}
      {score === null ? null : <Marker score={score} />}
      <text
        x={CENTRE.x}
        y={CENTRE.y + 8}
        textAnchor="middle"
        className="fill-ink font-serif text-[58px] font-semibold tabular"
      >
        {score ?? '–'}
      </text>
      <text
        x={CENTRE.x}
        y={CENTRE.y + 38}
        textAnchor="middle"
        fill={gradeColour(grade)}
        className="font-mono text-[20px] font-semibold"
      >
        {grade}
      </text>
      <text
        x={CENTRE.x}
        y={CENTRE.y + 60}
        textAnchor="middle"
        className="fill-ink-faint text-[11px]"
      >
        {note ?? (interval === null ? '' : `${interval.low} to ${interval.high}`)}
      </text>
    </svg>
  )
}

/** The seven grades as a thin band outside the scale. */
function GradeBands() {
  return GRADES.map(({ grade, scoreMin }, at) => {
    const end = GRADES[at - 1]?.scoreMin ?? SCORE_MAX
    return (
      <path
        key={grade}
        d={arc(scoreMin + 3, end - 3, 107)}
        fill="none"
        stroke={gradeColour(grade)}
        strokeWidth="3"
      />
    )
  })
}

/** The confidence interval of the score, drawn inside the scale. */
function Interval({ low, high }: { low: number; high: number }) {
  return (
    <path
      d={arc(low, high, 79)}
      fill="none"
      stroke="var(--ink)"
      strokeWidth="3"
      strokeLinecap="round"
    />
  )
}

function Marker({ score }: { score: number }) {
  const { x, y } = pointAt(score, 92)
  return <circle cx={x} cy={y} r="5.5" fill="var(--raised)" stroke="var(--ink)" strokeWidth="2.5" />
}

function pointAt(score: number, radius: number) {
  const degrees = START_DEGREES + (SWEEP_DEGREES * score) / SCORE_MAX
  const angle = (degrees * Math.PI) / 180
  return { x: CENTRE.x + radius * Math.cos(angle), y: CENTRE.y + radius * Math.sin(angle) }
}

function arc(from: number, to: number, radius: number): string {
  const [start, end] = [pointAt(from, radius), pointAt(to, radius)]
  const large = ((to - from) * SWEEP_DEGREES) / SCORE_MAX > 180 ? 1 : 0
  return `M ${start.x.toFixed(2)} ${start.y.toFixed(2)} A ${radius} ${radius} 0 ${large} 1 ${end.x.toFixed(2)} ${end.y.toFixed(2)}`
}

function gaugeLabel({ score, grade, interval }: GaugeProps): string {
  if (score === null) return 'Not yet rated'
  const label = `Score ${score} of ${SCORE_MAX}, grade ${grade}`
  if (interval === null || interval === undefined) return label
  const level = Math.round(100 * interval.level)
  return `${label}; with ${level}% confidence between ${interval.low} and ${interval.high}`
}
