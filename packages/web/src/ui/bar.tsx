import { classNames } from './class-names.ts'
import type { Tone } from './pill.tsx'

const FILLS: Record<Tone, string> = {
  neutral: 'bg-ink-faint',
  good: 'bg-good',
  warn: 'bg-warn',
  bad: 'bg-bad',
  info: 'bg-info',
  accent: 'bg-accent',
}

export type BarProps = {
  /** From 0 to 1. */
  share: number
  tone?: Tone
  /** Overrides the tone, such as with a grade's colour. */
  colour?: string
}

/** A bar for a share of the whole. Decorative: the number beside it says the same. */
export function Bar({ share, tone = 'accent', colour }: BarProps) {
  const width = `${Math.max(0, Math.min(1, share)) * 100}%`
  return (
    <span aria-hidden="true" className="block h-1.5 overflow-hidden rounded-full bg-sunken">
      <span
        style={colour === undefined ? { width } : { width, backgroundColor: colour }}
        className={classNames('block h-full rounded-full', colour === undefined && FILLS[tone])}
      />
    </span>
  )
}
