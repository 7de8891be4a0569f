import { createTouchstone } from '@touchstone/sdk'
import { createGuard } from '@touchstone/sdk/guard'
import { expect } from 'vitest'
import {
  approvePending,
  bypassesOf,
  decisionsOf,
  type GuardWorld,
  newDeskAgent,
} from '#harness/guarded.ts'

/**
 * An agent of the desk with a guard whose key is bound to it, and the tools of the desk, which note that
 * they ran. `local` is whether the user of the framework can approve refunds.
 */
export async function frameworkDesk(w: GuardWorld, { local = false } = {}) {
  const agentId = await newDeskAgent(w, { local })
  const { key } = await w.touchstone.request('POST', '/v1/api-keys', {
    body: { agent_id: agentId, role: 'member', scopes: ['decide', 'ingest'], client: 'sdk' },
  })
  const client = createTouchstone({ baseUrl: w.baseUrl, token: key ?? '', retries: 0 })
  const guard = createGuard({
    client,
    agentId,
    onOutcomeLost: ({ reason }) => expect.fail(reason),
    onEvidenceLost: ({ reason }) => expect.fail(reason),
  })
  const ran: string[] = []
  const tools = {
    shop_search: ({ order }: { order: number }) => note(`search ${order}`, 'in the depot'),
    shop_refund: ({ order }: { order: number }) => note(`refund ${order}`, 'refunded'),
    shop_broken: (): string => {
      ran.push('broken')
      throw new RangeError('broken')
    },
    shell_run: () => note('shell', 'never'),
  }
  function note(call: string, result: string): string {
    ran.push(call)
    return result
  }
  return {
    agentId,
    guard,
    ran,
    tools,
    approve: () => approvePending(w, agentId),
    /** Tool, decision and outcome of every decision, the oldest first. */
    async decisions(): Promise<string[]> {
      await guard.flush()
      const decisions = await decisionsOf(w, agentId)
      return decisions.map(
        ({ tool, decision, outcome }) => `${tool} ${decision} ${outcome?.status}`,
      )
    },
    async traces() {
      await guard.flush()
      const options = { params: { agent_id: agentId } }
      const listed = await w.touchstone.request('GET', '/v1/agents/{agent_id}/traces', options)
      return listed.traces.toReversed()
    },
    async bypasses(): Promise<number> {
      await guard.flush()
      return bypassesOf(w, agentId)
    },
  }
}

/** The JSON Schema of the input of every tool. */
export const ORDER_SCHEMA = {
  type: 'object' as const,
  properties: { order: { type: 'number' as const } },
  required: ['order' as const],
  additionalProperties: false as const,
}

export const NO_SHELL = 'shell_run was not called: it is not allowed. No shell'
export const NEEDS_APPROVAL =
  'shop_refund was not called: a person has to approve it first. Refunds are for people'

/** A call as the model asks for it. */
export type Call = { tool: string; input: object; id: string }

/** A model that thinks, makes the calls in one turn, and is done. */
export const turnsOf = (calls: readonly Call[]) =>
  [
    { parts: [{ thinking: 'The order comes first.' }, ...calls] },
    { parts: [{ text: 'Done.' }] },
  ] as const

/** A call of each tool of the desk. */
export const CALLS = {
  search: { tool: 'shop_search', input: { order: 7 }, id: 'call_search' },
  refund: { tool: 'shop_refund', input: { order: 7 }, id: 'call_refund' },
  shell: { tool: 'shell_run', input: { order: 7 }, id: 'call_shell' },
  broken: { tool: 'shop_broken', input: { order: 7 }, id: 'call_broken' },
} as const
