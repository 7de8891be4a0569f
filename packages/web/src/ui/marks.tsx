import { Pill, type Tone } from './pill.tsx'

const VERDICTS: Readonly<Record<string, { tone: Tone; words: string }>> = {
  clear: { tone: 'good', words: 'Clear' },
  review_needed: { tone: 'warn', words: 'Review needed' },
  boundary_violation: { tone: 'bad', words: 'Violation' },
  pass: { tone: 'good', words: 'Pass' },
  warn: { tone: 'warn', words: 'Warn' },
  fail: { tone: 'bad', words: 'Fail' },
  allow: { tone: 'good', words: 'Allowed' },
  escalate: { tone: 'warn', words: 'Escalated' },
  block: { tone: 'bad', words: 'Blocked' },
}

const STATES: Readonly<Record<string, Tone>> = {
  active: 'good',
  paused: 'warn',
  killed: 'bad',
  archived: 'neutral',
  open: 'warn',
  resolved: 'neutral',
  pending: 'warn',
  accepted: 'good',
}

const SEVERITIES: Readonly<Record<string, Tone>> = {
  low: 'neutral',
  medium: 'warn',
  high: 'bad',
  critical: 'bad',
}

export function Verdict({ verdict }: { verdict: string }) {
  const known = VERDICTS[verdict]
  return <Pill tone={known?.tone ?? 'neutral'}>{known?.words ?? inWords(verdict)}</Pill>
}

export function State({ state }: { state: string }) {
  return <Pill tone={STATES[state] ?? 'neutral'}>{inWords(state)}</Pill>
}

export function Severity({ severity }: { severity: string }) {
  return <Pill tone={SEVERITIES[severity] ?? 'neutral'}>{inWords(severity)}</Pill>
}

/** `card_gap` as people write it: Card gap. */
export function inWords(code: string): string {
  const words = code.replaceAll('_', ' ').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A difference of a score, with its sign. */
export function Change({ points }: { points: number }) {
  const rounded = Math.round(points)
  if (rounded === 0) return <span className="text-ink-faint">±0</span>
  return (
    <span className={rounded > 0 ? 'text-good' : 'text-bad'}>
      {rounded > 0 ? '+' : '−'}
      {Math.abs(rounded)}
    </span>
  )
}
