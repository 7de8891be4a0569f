import { Pill, type Tone } from './pill.tsx'

const VERDICTS: Readonly<Record<string, { tone: Tone; label: string }>> = {
  clear: { tone: 'good', label: 'Clear' },
  review_needed: { tone: 'warn', label: 'Review needed' },
  boundary_violation: { tone: 'bad', label: 'Violation' },
  pass: { tone: 'good', label: 'Pass' },
  warn: { tone: 'warn', label: 'Warn' },
  fail: { tone: 'bad', label: 'Fail' },
}

const DECISIONS: Readonly<Record<string, { tone: Tone; label: string }>> = {
  allow: { tone: 'good', label: 'Allowed' },
  warn: { tone: 'info', label: 'Allowed with warning' },
  escalate: { tone: 'warn', label: 'Escalated' },
  block: { tone: 'bad', label: 'Blocked' },
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
  return <Pill tone={known?.tone ?? 'neutral'}>{known?.label ?? sentenceCase(verdict)}</Pill>
}

const NOT_ENFORCED: Readonly<Record<string, string>> = {
  escalate: 'Would be escalated',
  block: 'Would be blocked',
}

type DecisionMarkProps = {
  decision: string
  /** False if the client only records decisions and stops no call. */
  enforced?: boolean | undefined
}

/** A decision of the gateway. One that stopped nothing does not look like one that did. */
export function DecisionMark({ decision, enforced }: DecisionMarkProps) {
  const observed = enforced === false ? NOT_ENFORCED[decision] : undefined
  if (observed !== undefined) {
    return <Pill title="Not enforced: the client only records decisions">{observed}</Pill>
  }
  const known = DECISIONS[decision]
  return <Pill tone={known?.tone ?? 'neutral'}>{known?.label ?? sentenceCase(decision)}</Pill>
}

/** For evidence that was not analysed: its record has the verdict clear, which means nothing. */
export function NotJudged() {
  return <Pill>Not judged</Pill>
}

export function State({ state }: { state: string }) {
  return <Pill tone={STATES[state] ?? 'neutral'}>{sentenceCase(state)}</Pill>
}

export function Severity({ severity }: { severity: string }) {
  return <Pill tone={SEVERITIES[severity] ?? 'neutral'}>{sentenceCase(severity)}</Pill>
}

/** Formats a code for display: `card_gap` becomes "Card gap". */
export function sentenceCase(code: string): string {
  const label = code.replaceAll('_', ' ').toLowerCase()
  return label.charAt(0).toUpperCase() + label.slice(1)
}

/** A score difference with its sign. */
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
