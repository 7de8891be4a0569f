import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { labelOfBefore, type TimeRange } from '../../range/time-range.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatCompact } from '../../ui/format-compact.ts'
import { messageOf, Skeleton } from '../../ui/states.tsx'
import { usePeriodStats } from '../decisions/period-stats.ts'
import type { DecisionWord } from '../decisions/search.ts'
import { changeOf } from './change.ts'
import { usePeriodUsage } from './period-queries.ts'

const milliseconds = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 })

export const formatMs = (ms: number) => `${milliseconds.format(ms)} ms`

type FiguresProps = { orgId: string; range: TimeRange }

/** The numbers of the range, each beside that of the period before it. */
export function Figures({ orgId, range }: FiguresProps) {
  const stats = usePeriodStats(orgId, range)
  const usage = usePeriodUsage(orgId, range)
  const counted = stats.data
  const countOf = (word: DecisionWord) =>
    counted && { now: counted.now.totals[word] ?? 0, before: counted.before.totals[word] ?? 0 }
  const p99 = counted && {
    now: counted.now.duration_ms.p99,
    before: counted.before.duration_ms.p99,
  }
  const used = (
    sum: (bucket: { turns: number; input_tokens: number; output_tokens: number }) => number,
  ) =>
    usage.data && {
      now: usage.data.now.reduce((total, bucket) => total + sum(bucket), 0),
      before: usage.data.before.reduce((total, bucket) => total + sum(bucket), 0),
    }
  const error = stats.error ?? usage.error
  return (
    <section aria-label={`Compared with ${labelOfBefore(range)}`} className="grid gap-1.5">
      <div className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line shadow-soft sm:grid-cols-3 xl:grid-cols-6">
        <Figure
          label="Calls decided"
          to={{}}
          pair={counted && { now: sumOf(counted.now.totals), before: sumOf(counted.before.totals) }}
        />
        <Figure label="Blocked" to={{ decision: ['block'] }} pair={countOf('block')} tone="bad" />
        <Figure
          label="Escalated"
          to={{ decision: ['escalate'] }}
          pair={countOf('escalate')}
          tone="warn"
        />
        <Figure label="Time to decide, p99" pair={p99} format={formatMs} />
        <Figure label="Model turns" pair={used(({ turns }) => turns)} />
        <Figure
          label="Tokens"
          pair={used(({ input_tokens: input, output_tokens: output }) => input + output)}
        />
      </div>
      {error === null ? (
        <p className="text-right text-xs text-ink-faint">Compared with {labelOfBefore(range)}</p>
      ) : (
        <p role="alert" className="text-sm text-bad">
          {messageOf(error)}
        </p>
      )}
    </section>
  )
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

const TONES = { bad: 'text-bad', warn: 'text-warn', plain: 'text-ink' } as const

type FigureProps = {
  label: string
  /** Undefined while it loads; null where nothing was measured. */
  pair: { now: number | null; before: number | null } | undefined
  format?: (value: number) => string
  tone?: keyof typeof TONES
  /** The filter of the decisions that the number counts. */
  to?: { decision?: DecisionWord[] }
}

function Figure({ label, pair, format = formatCompact, tone = 'plain', to }: FigureProps) {
  const orgId = useOrgId()
  const content: ReactNode = (
    <>
      <span className="text-sm text-ink-soft">{label}</span>
      {pair === undefined ? (
        <Skeleton className="my-1 h-7 w-14" />
      ) : (
        <span
          className={classNames(
            'font-serif text-[1.75rem] leading-tight font-semibold tabular',
            pair.now === null || pair.now === 0 ? 'text-ink-faint' : TONES[tone],
          )}
        >
          {pair.now === null ? '–' : format(pair.now)}
        </span>
      )}
      <span className="min-h-4 text-xs text-ink-faint tabular">
        {pair === undefined ? null : <Change now={pair.now} before={pair.before} format={format} />}
      </span>
    </>
  )
  const box = 'grid min-w-0 content-start gap-0.5 bg-surface px-5 py-4'
  if (to === undefined) return <div className={box}>{content}</div>
  return (
    <Link
      to="/o/$orgId/decisions"
      params={{ orgId }}
      search={to}
      className={classNames(box, 'hover:bg-sunken focus-visible:-outline-offset-2')}
    >
      {content}
    </Link>
  )
}

type ChangeProps = {
  now: number | null
  before: number | null
  format: (value: number) => string
}

function Change({ now, before, format }: ChangeProps) {
  const change = changeOf(now ?? 0, before ?? 0)
  if (change === undefined || now === null) return null
  return before === null || before === 0 || change.direction === 'same' ? (
    change.text
  ) : (
    <>
      <span className="text-ink-soft">{change.text}</span> from {format(before)}
    </>
  )
}
