import { Pill } from '../../ui/pill.tsx'
import type { DecisionRow } from './live-decisions.ts'

/** The outcome of the call. A call that was made in spite of the decision is marked in red. */
export function OutcomeMark({ of: { outcome } }: { of: Pick<DecisionRow, 'outcome'> }) {
  if (outcome === undefined || outcome === null) {
    return <span className="whitespace-nowrap text-ink-faint">Not reported</span>
  }
  if (outcome.bypassed) return <Pill tone="bad">Bypassed</Pill>
  if (outcome.status === 'failed') return <Pill tone="warn">Failed</Pill>
  return <Pill>{outcome.status === 'executed' ? 'Executed' : 'Not executed'}</Pill>
}
