import { classNames } from './class-names.ts'

/** How far a score has moved, with its direction in words for those who cannot see colours. */
export function Trend({ points, className }: { points: number; className?: string }) {
  const rounded = Math.round(points)
  const tone = rounded > 0 ? 'text-good' : rounded < 0 ? 'text-bad' : 'text-ink-faint'
  const sign = rounded > 0 ? '+' : rounded < 0 ? '−' : '±'
  return (
    <span className={classNames('whitespace-nowrap tabular', tone, className)}>
      {sign}
      {Math.abs(rounded)}
    </span>
  )
}
