import { GRADES } from '@touchstone/protocol/score'
import { scaleLinear, scaleUtc } from 'd3-scale'
import { area, line } from 'd3-shape'
import { type PointerEvent, useState } from 'react'
import { CHART_FRAME, ChartSlider } from './chart/chart-slider.tsx'
import { classNames } from './class-names.ts'
import { type Grade, GradeMark, gradeColour } from './grade.tsx'
import { readerDates } from './reader-dates.ts'
import { useWidth } from './use-width.ts'

export type HistoryPoint = { weekStart: string; score: number; grade: Grade; note: string }

const HEIGHT = 240
const MARGIN = { top: 12, right: 24, bottom: 26, left: 46 }
/** The least score range of the y axis, so that small changes do not look like large drops. */
const SPAN_MIN = 240

const day = readerDates({ day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Weekly scores over the grade bands, oldest first. */
export function HistoryChart({ label, points }: { label: string; points: HistoryPoint[] }) {
  const [frame, width] = useWidth<HTMLDivElement>()
  const [at, setAt] = useState<number>()
  const [place, setPlace] = useState(points.length - 1)
  const last = points.at(-1)
  const shown = at === undefined ? last : points[at]
  return (
    <figure>
      <figcaption className="mb-1 flex min-h-7 flex-wrap items-center gap-x-3 text-sm">
        {shown === undefined ? null : (
          <>
            <span className="text-ink-soft">Week of {day.format(new Date(shown.weekStart))}</span>
            <span className="font-semibold tabular">{shown.score}</span>
            <GradeMark grade={shown.grade} />
            <span className="text-ink-faint">{shown.note}</span>
          </>
        )}
      </figcaption>
      <div ref={frame} className={classNames(CHART_FRAME, 'h-60')}>
        {width > 0 ? <Drawing points={points} width={width} at={at} onPoint={setAt} /> : null}
        {last === undefined ? null : (
          <ChartSlider
            label={label}
            count={points.length}
            place={place}
            text={textOf(points[place] ?? last)}
            onPlace={(next) => {
              setPlace(next)
              setAt(next)
            }}
            onFocus={(isVisible) => setAt(isVisible ? place : undefined)}
          />
        )}
      </div>
    </figure>
  )
}

function textOf({ weekStart, score, grade, note }: HistoryPoint): string {
  return `Week of ${day.format(new Date(weekStart))}: ${score}, grade ${grade}, ${note}`
}

type DrawingProps = {
  points: HistoryPoint[]
  width: number
  at: number | undefined
  onPoint: (index: number | undefined) => void
}

function Drawing({ points, width, at, onPoint }: DrawingProps) {
  const { x, y } = scalesOf(points, width)
  const xOf = (point: HistoryPoint) => x(new Date(point.weekStart))
  const yOf = (point: HistoryPoint) => y(point.score)
  const nearest = (event: PointerEvent<SVGSVGElement>) => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left
    const distances = points.map((point) => Math.abs(xOf(point) - left))
    onPoint(distances.indexOf(Math.min(...distances)))
  }
  const marked = at === undefined ? undefined : points[at]
  return (
    <svg
      aria-hidden="true"
      width={width}
      height={HEIGHT}
      className="touch-pan-y"
      onPointerMove={nearest}
      onPointerLeave={() => onPoint(undefined)}
    >
      <Bands y={y} width={width} />
      <Weeks points={points} x={x} width={width} />
      <path
        d={area(xOf, HEIGHT - MARGIN.bottom, yOf)(points) ?? ''}
        fill="var(--accent)"
        fillOpacity="0.1"
      />
      <path d={line(xOf, yOf)(points) ?? ''} fill="none" stroke="var(--accent)" strokeWidth="2" />
      {marked === undefined ? null : (
        <line
          x1={xOf(marked)}
          x2={xOf(marked)}
          y1={MARGIN.top}
          y2={HEIGHT - MARGIN.bottom}
          stroke="var(--line-strong)"
        />
      )}
      {points.map((point) => (
        <circle
          key={point.weekStart}
          cx={xOf(point)}
          cy={yOf(point)}
          r={point === marked ? 5.5 : 4}
          fill={gradeColour(point.grade)}
          stroke="var(--surface)"
          strokeWidth="1.5"
        />
      ))}
    </svg>
  )
}

type X = ReturnType<typeof scalesOf>['x']
type Y = ReturnType<typeof scalesOf>['y']

function scalesOf(points: readonly HistoryPoint[], width: number) {
  const times = points.map(({ weekStart }) => Date.parse(weekStart))
  const scores = points.map(({ score }) => score)
  const middle = (Math.min(...scores) + Math.max(...scores)) / 2
  const half = Math.max(SPAN_MIN, Math.max(...scores) - Math.min(...scores) + 80) / 2
  const low = Math.min(Math.max(0, middle - half), 1000 - 2 * half)
  // Centres a single week.
  const pad = points.length === 1 ? 86_400_000 : 0
  return {
    x: scaleUtc(
      [Math.min(...times) - pad, Math.max(...times) + pad],
      [MARGIN.left, width - MARGIN.right],
    ),
    y: scaleLinear(
      [Math.max(0, low), Math.min(1000, low + 2 * half)],
      [HEIGHT - MARGIN.bottom, MARGIN.top],
    ),
  }
}

/** The boundaries between grades. */
function Bands({ y, width }: { y: Y; width: number }) {
  const [low = 0, high = 1000] = y.domain()
  const tops = GRADES.map((_, at) => GRADES[at - 1]?.scoreMin ?? 1000)
  return GRADES.map(({ grade, scoreMin }, at) => {
    const top = y(Math.min(high, tops[at] ?? 1000))
    const bottom = y(Math.max(low, scoreMin))
    if (bottom - top < 1) return null
    return (
      <g key={grade}>
        {scoreMin > low ? (
          <line
            x1={MARGIN.left}
            x2={width - MARGIN.right}
            y1={bottom}
            y2={bottom}
            stroke="var(--line)"
          />
        ) : null}
        {bottom - top < 30 ? null : (
          <text
            x={MARGIN.left - 8}
            y={(top + bottom) / 2 + 4}
            textAnchor="end"
            fill={gradeColour(grade)}
            className="font-mono text-[11px] font-semibold"
          >
            {grade}
          </text>
        )}
        {scoreMin > low ? (
          <text
            x={MARGIN.left - 8}
            y={bottom + 3}
            textAnchor="end"
            className="fill-ink-faint text-[10px] tabular"
          >
            {scoreMin}
          </text>
        ) : null}
      </g>
    )
  })
}

/** Date labels, thinned out to fit the width. */
function Weeks({ points, x, width }: { points: readonly HistoryPoint[]; x: X; width: number }) {
  const step = Math.ceil(points.length / Math.max(1, Math.floor(width / 80)))
  return points
    .filter((_, at) => (points.length - 1 - at) % step === 0)
    .map(({ weekStart }) => (
      <text
        key={weekStart}
        x={x(new Date(weekStart))}
        y={HEIGHT - 6}
        textAnchor="middle"
        className="fill-ink-faint text-[11px]"
      >
        {day.format(new Date(weekStart))}
      </text>
    ))
}
