import { Link } from '@tanstack/react-router'
import { classNames } from '../../../ui/class-names.ts'
import { GradeMark, gradeColour } from '../../../ui/grade.tsx'
import type { Benchmarks, DirectorySearch } from './queries.ts'

/** The number of public agents per grade; each grade links to its agents. */
export function Distribution({
  benchmarks,
  chosen,
}: {
  benchmarks: Benchmarks
  chosen?: DirectorySearch['grade']
}) {
  const most = Math.max(1, ...benchmarks.distribution.map(({ count }) => count))
  return (
    <ul className="grid gap-1">
      {benchmarks.distribution.map(({ grade, count, percentage }) => (
        <li key={grade}>
          <Link
            to="/directory"
            search={grade === chosen ? {} : { grade }}
            className={classNames(
              'grid grid-cols-[3rem_minmax(0,1fr)_2rem_2.5rem] items-center gap-2 rounded px-1 py-0.5 hover:bg-sunken',
              grade === chosen && 'bg-sunken',
            )}
          >
            <GradeMark grade={grade} />
            <span aria-hidden="true" className="h-3.5">
              <span
                className="block h-full min-w-px rounded-sm"
                style={{ width: `${(100 * count) / most}%`, backgroundColor: gradeColour(grade) }}
              />
            </span>
            <span className="text-right text-sm font-medium tabular">
              {count}
              <span className="sr-only">{count === 1 ? ' agent' : ' agents'}</span>
            </span>
            <span className="text-right text-sm text-ink-faint tabular">
              {percentage.toFixed(0)}%
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

const POINTS = ['p10', 'p25', 'p50', 'p75', 'p90'] as const

/** A box plot: p25 to p75 as a bar, p10 to p90 as a line, the median as a mark. */
export function Percentiles({ benchmarks }: { benchmarks: Benchmarks }) {
  const { percentiles } = benchmarks
  const at = (score: number) => 10 + (score / 1000) * 380
  return (
    <div className="grid gap-2">
      <svg
        viewBox="0 0 400 30"
        role="img"
        aria-label={`Half of all scores lie between ${percentiles.p25} and ${percentiles.p75}, the median is ${percentiles.p50}`}
        className="w-full"
      >
        <line x1="10" x2="390" y1="15" y2="15" stroke="var(--line)" strokeWidth="2" />
        <line
          x1={at(percentiles.p10)}
          x2={at(percentiles.p90)}
          y1={15}
          y2={15}
          stroke="var(--line-strong)"
          strokeWidth="4"
        />
        <rect
          x={at(percentiles.p25)}
          y="7"
          width={Math.max(2, at(percentiles.p75) - at(percentiles.p25))}
          height="16"
          rx="2"
          fill="var(--accent)"
          fillOpacity="0.35"
        />
        <line
          x1={at(percentiles.p50)}
          x2={at(percentiles.p50)}
          y1={3}
          y2={27}
          stroke="var(--accent)"
          strokeWidth="3"
        />
      </svg>
      <dl className="flex justify-between text-center">
        {POINTS.map((point) => (
          <div key={point} className="flex flex-col-reverse">
            <dt className="text-xs text-ink-faint">{point === 'p50' ? 'Median' : point}</dt>
            <dd className="font-semibold tabular">{percentiles[point]}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
