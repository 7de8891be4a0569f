import { scaleLinear, scaleTime, scaleUtc } from 'd3-scale'
import { line } from 'd3-shape'
import type { ReactNode } from 'react'
import { type ChartBucket, type ChartSeries, tickLabel } from './buckets.ts'

const HEIGHT = 200
const MARGIN = { top: 10, right: 8, bottom: 24 }
/** The width of a character of a label. */
const CHARACTER_WIDTH = 6.6
const LABEL_GAP = 8
const TICK_WIDTH = 96
const DAY_MS = 86_400_000

export type PlotProps = {
  buckets: readonly ChartBucket[]
  series: readonly ChartSeries[]
  /** Bars stand on each other, lines do not. */
  mark: 'bars' | 'lines'
  width: number
  format: (value: number) => string
  /** The bucket that is read out. */
  place: number | undefined
}

export type Scales = ReturnType<typeof scalesOf>

export function scalesOf({ buckets, series, mark, width, format }: Omit<PlotProps, 'place'>) {
  const y = scaleLinear([0, maxOf(buckets, series, mark)], [HEIGHT - MARGIN.bottom, MARGIN.top])
  const highest = y.nice(4).domain()[1] ?? 0
  // Bars are counts.
  const isWhole = mark === 'bars' || highest >= 3
  const ticks = y
    .ticks(4)
    .filter((value) => !isWhole || Number.isInteger(value))
    .map((value) => ({ value, label: format(value) }))
  const labelLength = Math.max(...ticks.map(({ label }) => label.length))
  const left = Math.ceil(labelLength * CHARACTER_WIDTH) + LABEL_GAP
  const first = buckets[0]
  const last = buckets.at(-1)
  const lengthMs = last?.lengthMs ?? DAY_MS
  const end = new Date((last?.start.getTime() ?? 0) + lengthMs)
  const domain = [first?.start ?? new Date(0), end] as const
  const range = [left, width - MARGIN.right] as const
  const x = lengthMs >= DAY_MS ? scaleUtc(domain, range) : scaleTime(domain, range)
  return { x, y, ticks, left, lengthMs }
}

function maxOf(
  buckets: readonly ChartBucket[],
  series: readonly ChartSeries[],
  mark: PlotProps['mark'],
): number {
  const heights = buckets.map((_, at) => {
    const values = series.map(({ values }) => values[at] ?? 0)
    return mark === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values)
  })
  return Math.max(...heights) || 1
}

/** The middle of a bucket. */
export function middleOf({ start, lengthMs }: ChartBucket, { x }: Scales): number {
  return (x(start) + x(new Date(start.getTime() + lengthMs))) / 2
}

/** The drawing of a chart, which says nothing to a screen reader. */
export function Plot(props: PlotProps) {
  const { buckets, width, place } = props
  const scales = scalesOf(props)
  const at = place === undefined ? undefined : buckets[place]
  return (
    <svg aria-hidden="true" width={width} height={HEIGHT} className="block">
      <ValueAxis {...props} scales={scales} />
      <TimeAxis width={width} scales={scales} />
      {at === undefined ? null : <Cursor bucket={at} scales={scales} />}
      {props.mark === 'bars' ? <Bars {...props} scales={scales} /> : null}
      {props.mark === 'lines' ? <Lines {...props} scales={scales} /> : null}
    </svg>
  )
}

type ScaledProps = PlotProps & { scales: Scales }

function ValueAxis({ width, scales: { y, ticks, left } }: ScaledProps) {
  return ticks.map(({ value, label }) => (
    <g key={value}>
      <line x1={left} x2={width - MARGIN.right} y1={y(value)} y2={y(value)} stroke="var(--line)" />
      <text
        x={left - LABEL_GAP}
        y={y(value) + 4}
        textAnchor="end"
        className="fill-ink-faint text-[11px] tabular"
      >
        {label}
      </text>
    </g>
  ))
}

function TimeAxis({ width, scales: { x, left, lengthMs } }: { width: number; scales: Scales }) {
  const ticks = x.ticks(Math.max(2, Math.floor(width / TICK_WIDTH)))
  return ticks.map((tick) => (
    <text
      key={tick.getTime()}
      x={Math.min(Math.max(x(tick), left + 16), width - MARGIN.right - 24)}
      y={HEIGHT - 6}
      textAnchor="middle"
      className="fill-ink-faint text-[11px] tabular"
    >
      {tickLabel(tick, lengthMs)}
    </text>
  ))
}

function Cursor({ bucket, scales }: { bucket: ChartBucket; scales: Scales }) {
  const { x } = scales
  const left = x(bucket.start)
  return (
    <rect
      x={left}
      y={MARGIN.top}
      width={Math.max(1, x(new Date(bucket.start.getTime() + bucket.lengthMs)) - left)}
      height={HEIGHT - MARGIN.top - MARGIN.bottom}
      fill="var(--sunken)"
    />
  )
}

function Bars({ buckets, series, scales: { x, y } }: ScaledProps) {
  return buckets.map(({ start, lengthMs }, at) => {
    const left = x(start)
    const width = x(new Date(start.getTime() + lengthMs)) - left
    const gap = Math.min(3, width * 0.2)
    let sum = 0
    const parts: ReactNode[] = series.map(({ key, colour, values }) => {
      const value = values[at] ?? 0
      const below = sum
      sum += value
      if (value === 0) return null
      // Few among many must still be seen.
      const height = Math.max(1.5, y(below) - y(sum))
      return (
        <rect
          key={key}
          x={left + gap / 2}
          y={y(below) - height}
          width={Math.max(1, width - gap)}
          height={height}
          fill={colour}
        />
      )
    })
    return <g key={start.getTime()}>{parts}</g>
  })
}

function Lines({ buckets, series, place, scales }: ScaledProps) {
  const { y } = scales
  return series.map(({ key, colour, values }) => {
    const points = buckets.map((bucket, at) => ({
      left: middleOf(bucket, scales),
      value: values[at] ?? null,
    }))
    const path = line<(typeof points)[number]>(
      ({ left }) => left,
      ({ value }) => y(value ?? 0),
    ).defined(({ value }) => value !== null)
    const isAlone = (at: number) =>
      (points[at - 1]?.value ?? null) === null && (points[at + 1]?.value ?? null) === null
    return (
      <g key={key}>
        <path d={path(points) ?? ''} fill="none" stroke={colour} strokeWidth="1.75" />
        {points.map(({ left, value }, at) =>
          value !== null && (at === place || isAlone(at)) ? (
            <circle key={left} cx={left} cy={y(value)} r={at === place ? 4 : 2.5} fill={colour} />
          ) : null,
        )}
      </g>
    )
  })
}
