import type { Trace } from './queries.ts'

type Judged = Pick<Trace, 'action' | 'verification' | 'policy' | 'tools'>

export type TraceStanding = {
  /** Why the call was not made; null if it was made, or if the trace is not about a refused call. */
  refusal: 'blocked' | 'escalated' | null
  card: 'verified' | 'violated' | 'not_judged'
  /** The policy's verdict; null without a policy. */
  policy: 'pass' | 'warn' | 'fail' | 'not_judged' | null
}

/**
 * How a trace reads. A guard records a refused call as a trace without tools that is denied or
 * escalated: it complies with the card only because nothing happened, so nothing was judged.
 */
export function standingOf({ action, verification, policy, tools }: Judged): TraceStanding {
  const refusal = refusalOf(action.type)
  const isUnjudged = refusal !== null && tools.length === 0
  return {
    refusal,
    card: !verification.verified ? 'violated' : refusal !== null ? 'not_judged' : 'verified',
    policy: policy !== null && isUnjudged ? 'not_judged' : (policy?.verdict ?? null),
  }
}

function refusalOf(type: Trace['action']['type']): TraceStanding['refusal'] {
  if (type === 'deny') return 'blocked'
  return type === 'escalate' ? 'escalated' : null
}
