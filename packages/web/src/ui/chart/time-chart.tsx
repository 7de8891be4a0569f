import { type PointerEvent, useState } from 'react'
import { Button } from '../button.tsx'
import { classNames } from '../class-names.ts'
import { formatCompact } from '../format-compact.ts'
import { type Column, Table } from '../table.tsx'
import { useWidth } from '../use-width.ts'
import { bucketLabel, type ChartBucket, type ChartSeries, describeBucket } from './buckets.ts'
import { CHART_FRAME, ChartSlider } from './chart-slider.tsx'
import { middleOf, Plot, scalesOf } from './plot.tsx'

export type TimeChartProps = {
  label: string
  buckets: readonly ChartBucket[]
  series: readonly ChartSeries[]
  /** Bars stand on each other, lines do not. */
  mark: 'bars' | 'lines'
  format?: (value: number) => string
  /** Opens the details of a bucket, by Enter or a click. */
  open?: { hint: string; run: (bucket: ChartBucket) => void }
}

/**
 * Values over time. The arrow keys read them out one by one, and a table has all of them.
 */
export function TimeChart(props: TimeChartProps) {
  const { label, buckets, series } = props
  const [isTable, setIsTable] = useState(false)
  return (
    <figure className="grid grid-cols-1 gap-2" aria-label={label}>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <Legend series={series} />
        <Button
          tone="quiet"
          aria-pressed={isTable}
          className="-my-1 -mr-2 ml-auto min-h-0 text-xs"
          onClick={() => setIsTable(!isTable)}
        >
          Table
        </Button>
      </div>
      {isTable ? (
        <ValueTable label={label} buckets={buckets} series={series} />
      ) : (
        <Chart {...props} />
      )}
    </figure>
  )
}

function Legend({ series }: { series: readonly ChartSeries[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
      {series.map(({ key, label, colour }) => (
        <li key={key} className="flex items-center gap-1.5">
          <Swatch colour={colour} />
          {label}
        </li>
      ))}
    </ul>
  )
}

function Swatch({ colour }: { colour: string }) {
  return (
    <svg aria-hidden="true" width="9" height="9" className="shrink-0">
      <rect width="9" height="9" rx="2" fill={colour} />
    </svg>
  )
}

function Chart(props: TimeChartProps) {
  const { label, buckets, series, format = formatCompact } = props
  const [frame, width] = useWidth<HTMLDivElement>()
  const [pointed, setPointed] = useState<number>()
  const [place, setPlace] = useState(buckets.length - 1)
  const [hasFocus, setHasFocus] = useState(false)
  const read = Math.min(place, buckets.length - 1)
  const bucketRead = buckets[read]
  const shown = pointed ?? (hasFocus ? read : undefined)
  const nearest = ({ clientX, currentTarget }: PointerEvent<HTMLDivElement>) => {
    const scales = scalesOf({ ...props, width, format })
    const left = clientX - currentTarget.getBoundingClientRect().left
    const distances = buckets.map((bucket) => Math.abs(middleOf(bucket, scales) - left))
    setPointed(distances.indexOf(Math.min(...distances)))
  }
  const open = (at: number | undefined) => {
    const bucket = at === undefined ? undefined : buckets[at]
    if (bucket !== undefined) props.open?.run(bucket)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the slider inside does the same by keys
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      ref={frame}
      className={classNames(
        CHART_FRAME,
        'h-[200px] touch-pan-y',
        props.open !== undefined && 'cursor-pointer',
      )}
      onPointerMove={nearest}
      onPointerDown={nearest}
      onPointerLeave={() => setPointed(undefined)}
      onClick={(event) => {
        // A tap only shows the values.
        if (
          event.nativeEvent instanceof window.PointerEvent &&
          event.nativeEvent.pointerType === 'mouse'
        ) {
          open(pointed)
        }
      }}
    >
      {width > 0 ? <Plot {...props} width={width} place={shown} format={format} /> : null}
      {bucketRead === undefined ? null : (
        <ChartSlider
          label={label}
          count={buckets.length}
          place={read}
          text={describeBucket(bucketRead, series, read, format)}
          onPlace={setPlace}
          onFocus={setHasFocus}
          onEnter={() => open(read)}
        />
      )}
      {shown === undefined || width === 0 ? null : (
        <Tooltip {...props} place={shown} width={width} format={format} />
      )}
    </div>
  )
}

type TooltipProps = TimeChartProps & {
  place: number
  width: number
  format: (value: number) => string
}

/** The values of one bucket, on the side of it that has more room. */
function Tooltip(props: TooltipProps) {
  const { buckets, series, place, width, format, open } = props
  const bucket = buckets[place]
  if (bucket === undefined) return null
  const left = middleOf(bucket, scalesOf(props))
  const isRight = left < width / 2
  return (
    <div
      aria-hidden="true"
      style={isRight ? { left: left + 14 } : { right: width - left + 14 }}
      className="pointer-events-none absolute top-1 z-10 grid min-w-36 gap-1 rounded-md border border-line bg-raised px-3 py-2 text-xs shadow-soft"
    >
      <p className="font-medium whitespace-nowrap">{bucketLabel(bucket)}</p>
      {series.map(({ key, label, colour, values }) => {
        const value = values[place] ?? null
        return (
          <p key={key} className="flex items-center gap-1.5 whitespace-nowrap text-ink-soft">
            <Swatch colour={colour} />
            {label}
            <span className="ml-auto pl-3 text-ink tabular">
              {value === null ? '–' : format(value)}
            </span>
          </p>
        )
      })}
      {open === undefined ? null : <p className="text-ink-faint max-sm:hidden">{open.hint}</p>}
    </div>
  )
}

type ValueTableProps = Pick<TimeChartProps, 'label' | 'buckets' | 'series'>

/** The values themselves, newest first. */
function ValueTable({ label, buckets, series }: ValueTableProps) {
  const rows = buckets.map((bucket, place) => ({ bucket, place })).toReversed()
  type Row = (typeof rows)[number]
  const columns: Column<Row>[] = [
    { key: 'time', label: 'Time', cell: ({ bucket }) => bucketLabel(bucket) },
    ...series.map(({ key, label, values }) => ({
      key,
      label,
      align: 'right' as const,
      cell: ({ place }: Row) => {
        const value = values[place] ?? null
        return value === null ? '–' : value.toLocaleString('en', { maximumFractionDigits: 2 })
      },
    })),
  ]
  return (
    <div className="max-h-[200px] overflow-y-auto rounded border border-line">
      <Table
        caption={label}
        columns={columns}
        rows={rows}
        keyOf={({ bucket }) => bucket.start.toISOString()}
      />
    </div>
  )
}
