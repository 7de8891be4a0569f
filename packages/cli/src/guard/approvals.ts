import { hashCanonical } from '@touchstone/protocol/crypto'
import type { Verdict } from '@touchstone/sdk/guard'

type Call = { tool: string; arguments: Record<string, unknown> }

/** Limit of pending approvals; beyond it the oldest is evicted and must be requested again. */
const APPROVALS_MAX = 1000

/** Remembers the escalation of each call, so that an approval is only used for the approved call. */
export function createApprovals() {
  const escalations = new Map<string, string>()
  const keyOf = ({ tool, arguments: args }: Call) => hashCanonical({ tool, arguments: args })

  return {
    find: (call: Call): string | undefined =>
      escalations.size === 0 ? undefined : escalations.get(keyOf(call)),

    remember(call: Call, { decision, source, escalationId }: Verdict): void {
      // Without a decision of the service, a pending approval stays as it is.
      if (source !== 'service') return
      const isPending = decision === 'escalate' && escalationId !== null
      if (!isPending && escalations.size === 0) return
      const key = keyOf(call)
      escalations.delete(key)
      if (!isPending) return
      escalations.set(key, escalationId)
      const [oldest] = escalations.keys()
      if (escalations.size > APPROVALS_MAX && oldest !== undefined) escalations.delete(oldest)
    },
  }
}
