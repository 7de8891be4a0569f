import { hashCanonical } from '@touchstone/protocol/crypto'
import type { Verdict } from '@touchstone/sdk/guard'

type Call = { tool: string; arguments: Record<string, unknown> }

/** Approvals that are waited for; the oldest is forgotten beyond, and asked for anew. */
const APPROVALS_MAX = 1000

/** Which call a person was asked about, so that an approval is used for what they were shown. */
export function createApprovals() {
  const escalations = new Map<string, string>()
  const keyOf = ({ tool, arguments: args }: Call) => hashCanonical({ tool, arguments: args })

  return {
    find: (call: Call): string | undefined =>
      escalations.size === 0 ? undefined : escalations.get(keyOf(call)),

    remember(call: Call, { decision, source, escalationId }: Verdict): void {
      // Who could not be asked has not answered, either.
      if (source !== 'service') return
      const isAsked = decision === 'escalate' && escalationId !== null
      if (!isAsked && escalations.size === 0) return
      const key = keyOf(call)
      escalations.delete(key)
      if (!isAsked) return
      escalations.set(key, escalationId)
      const [oldest] = escalations.keys()
      if (escalations.size > APPROVALS_MAX && oldest !== undefined) escalations.delete(oldest)
    },
  }
}
