import { Problem } from '../../../kernel/problem.ts'
import { createBatchOrder } from './batch-order-service.ts'
import { type GatewayCall, validateCall } from './call.ts'
import type { SignedDecision } from './call-request-service.ts'
import type { Caller, Ledger, Org, SessionCounters } from './ports.ts'
import type { GatewayService } from './service.ts'

export type BatchService = ReturnType<typeof createBatchService>

type BatchDeps = { ledger: Ledger; sessionCounters: SessionCounters }

export function createBatchService(
  gateway: Pick<GatewayService, 'decide'>,
  { ledger, sessionCounters }: BatchDeps,
) {
  return {
    /**
     * Decides several calls, each as though those before it had been made, and stores the decisions in
     * one transaction. An invalid call rejects the whole batch before anything is decided; any other
     * error is the result of its call only. An agent that the caller does not reach counts as unknown.
     */
    async decideAll(
      org: Org,
      calls: readonly GatewayCall[],
      caller: Caller,
      reachesAgent: (agentId: string) => boolean,
    ): Promise<PromiseSettledResult<SignedDecision>[]> {
      for (const [at, call] of calls.entries()) assertValid(call, at)
      const order = createBatchOrder(calls, ledger.group(calls.length), sessionCounters)
      return Promise.allSettled(
        calls.map(async (call, at) => {
          const member = order.member(at)
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
