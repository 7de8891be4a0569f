import { Link } from '@tanstack/react-router'
import { labelOf, type TimeRange } from '../../range/time-range.ts'
import { classNames } from '../../ui/class-names.ts'
import { messageOf, Skeleton } from '../../ui/states.tsx'
import { usePeriodStats } from './period-stats.ts'
import type { DecisionWord } from './search.ts'

const FIGURES: readonly { decision: DecisionWord; label: string; colour: string }[] = [
  { decision: 'allow', label: 'Allowed', colour: 'text-ink' },
  { decision: 'warn', label: 'Allowed with warning', colour: 'text-info' },
  { decision: 'escalate', label: 'Escalated', colour: 'text-warn' },
  { decision: 'block', label: 'Blocked', colour: 'text-bad' },
]

/** Counts by decision; each leads to its decisions. */
export function StatsStrip({ orgId, range }: { orgId: string; range: TimeRange }) {
  const stats = usePeriodStats(orgId, range)
  return (
    <section
      aria-label={`Decisions: ${labelOf(range)}`}
      className="mb-4 grid overflow-hidden rounded-card border border-line bg-surface shadow-soft"
    >
      <div className="grid grid-cols-2 lg:grid-cols-4">
        {FIGURES.map(({ decision, label, colour }) => (
          <Link
            key={decision}
            to="/o/$orgId/decisions"
            params={{ orgId }}
            search={{ decision: [decision] }}
            className="min-w-0 border-line px-5 py-3 odd:border-r hover:bg-sunken/50 max-lg:nth-[-n+2]:border-b lg:border-r lg:last:border-r-0"
          >
            <span className="block text-sm text-ink-soft">
              {label}{' '}
              <span className="text-ink-faint">{typeof range === 'string' ? range : ''}</span>
            </span>
            {stats.data === undefined ? (
              <Skeleton className="my-1 h-6 w-10" />
            ) : (
              <Count number={stats.data.now.totals[decision] ?? 0} colour={colour} />
            )}
          </Link>
        ))}
      </div>
      {stats.error === null ? null : (
        <p role="alert" className="border-t border-line px-5 py-2 text-sm text-bad">
          {messageOf(stats.error)}
        </p>
      )}
    </section>
  )
}

function Count({ number, colour }: { number: number; colour: string }) {
  return (
    <span
      className={classNames(
        'block font-serif text-2xl leading-tight font-semibold tabular',
        number === 0 ? 'text-ink-faint' : colour,
      )}
    >
      {number.toLocaleString('en')}
    </span>
  )
}
