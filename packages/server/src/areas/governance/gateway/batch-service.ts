import { Problem } from '../../../kernel/problem.ts'
import { type GatewayCall, validateCall } from './call.ts'
import type { SignedDecision } from './call-request-service.ts'
import type { Caller, Ledger, Org } from './ports.ts'
import type { GatewayService } from './service.ts'

export type BatchService = ReturnType<typeof createBatchService>

export function createBatchService(gateway: Pick<GatewayService, 'decide'>, ledger: Ledger) {
  return {
    /**
     * Decides several calls and stores the decisions in one transaction. An invalid call rejects the
     * whole batch before anything is decided; any other error is the result of its call only. An agent
     * that the caller does not reach counts as unknown.
     */
    async decideAll(
      org: Org,
      calls: readonly GatewayCall[],
      caller: Caller,
      reachesAgent: (agentId: string) => boolean,
    ): Promise<PromiseSettledResult<SignedDecision>[]> {
      for (const [at, call] of calls.entries()) assertValid(call, at)
      const group = ledger.group(calls.length)
      return Promise.allSettled(
        calls.map(async (call, at) => {
          const member = group.member(at)
          try {
            if (!reachesAgent(call.agentId)) throw new Problem('agent_not_found', 'No such agent.')
            return await gateway.decide(org, call, caller, undefined, member)
          } finally {
            member.leave()
          }
        }),
      )
    },
  }
}

function assertValid(call: GatewayCall, at: number): void {
  const checked = validateCall(call)
  if (checked.ok) return
  const { field, code, reason: message } = checked
  throw new Problem('invalid_request', `calls/${at}/${field}: ${message}`, {
    details: [{ path: `/calls/${at}/${field}`, code, message }],
  })
}
