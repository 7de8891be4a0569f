import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info' | 'accent'

const TONES: Record<Tone, string> = {
  neutral: 'bg-sunken text-ink-soft',
  good: 'bg-good-wash text-good',
  warn: 'bg-warn-wash text-warn',
  bad: 'bg-bad-wash text-bad',
  info: 'bg-info-wash text-info',
  accent: 'bg-accent-wash text-accent',
}

type PillProps = { tone?: Tone; title?: string; children: ReactNode }

export function Pill({ tone = 'neutral', title, children }: PillProps) {
  return (
    <span
      title={title}
      className={classNames(
        'inline-flex items-center gap-1 rounded px-1.5 py-0.5 font-sans text-xs font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  )
}
