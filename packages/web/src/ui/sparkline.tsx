import { classNames } from './class-names.ts'

export type SparklineProps = {
  /** Oldest first. */
  values: readonly number[]
  label: string
  className?: string
}

const WIDTH = 240
const HEIGHT = 48
const MARGIN = 4

/** A trend line without axes. */
export function Sparkline({ values, label, className }: SparklineProps) {
  const low = Math.min(...values)
  const span = Math.max(...values) - low
  const x = (index: number) =>
    MARGIN + (index * (WIDTH - 2 * MARGIN)) / Math.max(values.length - 1, 1)
  const y = (value: number) =>
    span === 0 ? HEIGHT / 2 : HEIGHT - MARGIN - ((value - low) * (HEIGHT - 2 * MARGIN)) / span
  const points = values.map((value, index) => `${x(index)},${y(value)}`).join(' ')
  const last = values.at(-1)
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className={classNames('overflow-visible', className)}
      preserveAspectRatio="none"
    >
      <polyline
        points={points}
        fill="none"
        stroke="var(--accent)"
        strokeWidth="1.75"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
      {last === undefined ? null : (
        // A zero-length line with round caps, because a circle would be stretched with the SVG.
        <path
          d={`M${x(values.length - 1)} ${y(last)}h0`}
          stroke="var(--accent)"
          strokeWidth="7"
          strokeLinecap="round"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  )
}
