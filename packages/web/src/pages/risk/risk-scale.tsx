import type { ReactNode } from 'react'
import { LEVEL_TONES, type Level } from '../../ui/level.ts'
import { sentenceCase } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import { recommendationText } from './risk-words.ts'

/** The scores at which the levels end. */
type Thresholds = { low: number; medium: number; high: number }

export type RiskScaleProps = {
  score: number
  level: Level
  advice: string
  thresholds: Thresholds
  /** The tolerance that the thresholds belong to. */
  tolerance: string
  children?: ReactNode
}

/** A risk score from 0 to 1 on its scale of levels, with the recommendation. */
export function RiskScale({
  score,
  level,
  advice,
  thresholds,
  tolerance,
  children,
}: RiskScaleProps) {
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <p className="flex items-baseline gap-3">
          <span className="font-serif text-4xl leading-none font-semibold tabular">
            {score.toFixed(4)}
          </span>
          <Pill tone={LEVEL_TONES[level]}>{sentenceCase(level)}</Pill>
        </p>
        <p className="text-sm text-ink-soft">
          Recommendation: <span className="font-medium text-ink">{recommendationText(advice)}</span>
        </p>
      </div>
      <div aria-hidden="true" className="relative h-3">
        <div className="absolute inset-x-0 top-1 flex h-1.5 gap-0.5 overflow-hidden rounded-full">
          {bandsOf(thresholds).map(({ name, width, className }) => (
            <span key={name} style={{ width: `${width * 100}%` }} className={className} />
          ))}
        </div>
        <span
          style={{ left: `${Math.min(1, Math.max(0, score)) * 100}%` }}
          className="absolute top-0 h-3.5 w-1 -translate-x-1/2 rounded-full bg-ink"
        />
      </div>
      <p className="text-xs text-ink-faint">
        {thresholdText(thresholds)} The risk tolerance of the request, {tolerance.toLowerCase()},
        sets these thresholds; it does not change the score.
      </p>
      {children}
    </div>
  )
}

function thresholdText({ low, medium, high }: Thresholds): string {
  const end = (value: number) => value.toFixed(2)
  return `Low below ${end(low)}, medium below ${end(medium)}, high below ${end(high)}, critical otherwise.`
}

function bandsOf({ low, medium, high }: Thresholds) {
  return [
    { name: 'low', width: low, className: 'bg-good/50' },
    { name: 'medium', width: medium - low, className: 'bg-warn/50' },
    { name: 'high', width: high - medium, className: 'bg-bad/50' },
    { name: 'critical', width: 1 - high, className: 'bg-bad' },
  ]
}
