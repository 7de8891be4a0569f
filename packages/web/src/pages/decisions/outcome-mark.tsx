import { callFate } from '@touchstone/protocol/policy'
import { Pill } from '../../ui/pill.tsx'
import type { DecisionRow } from './live-decisions.ts'

type OutcomeMarkProps = { of: Pick<DecisionRow, 'decision' | 'enforced' | 'outcome'> }

/** The outcome of the call. A call that was made in spite of the decision is marked in red. */
export function OutcomeMark({ of: { decision, enforced = true, outcome } }: OutcomeMarkProps) {
  if (outcome?.bypassed) return <Pill tone="bad">Bypassed</Pill>
  switch (callFate({ decision, enforced, outcome: outcome?.status ?? null })) {
    case 'executed':
      return <Pill>Executed</Pill>
    case 'failed':
      return <Pill tone="warn">Failed</Pill>
    case 'not_executed':
      return <Pill>Not executed</Pill>
    case 'stopped':
      return <Pill title="Stopped before it ran">Stopped</Pill>
    case 'held':
      return <Pill title="Held for approval; decided again once it is approved">Held</Pill>
    case 'unknown':
      return <span className="whitespace-nowrap text-ink-faint">Not reported</span>
  }
}
