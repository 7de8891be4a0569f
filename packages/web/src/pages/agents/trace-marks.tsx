import { NotJudged, sentenceCase, Verdict } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import type { Trace } from './queries.ts'
import { standingOf } from './trace-standing.ts'

/** Whether the call was refused; nothing for a call that was made. */
export function RefusalMark({ trace }: { trace: Trace }) {
  const { refusal } = standingOf(trace)
  if (refusal === null) return null
  return refusal === 'blocked' ? (
    <Pill tone="bad">Blocked</Pill>
  ) : (
    <Pill tone="warn">Escalated</Pill>
  )
}

/** Whether the action complies with the agent's card. */
export function CardCheck({ trace }: { trace: Trace }) {
  const { card } = standingOf(trace)
  if (card === 'verified') return <Pill tone="good">Verified</Pill>
  if (card === 'not_judged') return <NotJudged />
  return (
    <span className="flex flex-wrap gap-1">
      {trace.verification.violations.map((violation) => (
        <Pill key={violation} tone="bad">
          {sentenceCase(violation)}
        </Pill>
      ))}
    </span>
  )
}

/** The policy's verdict on the tools of a trace. */
export function PolicyCheck({ trace, none }: { trace: Trace; none: string }) {
  const { policy } = standingOf(trace)
  if (policy === null) return none
  return policy === 'not_judged' ? <NotJudged /> : <Verdict verdict={policy} />
}
