// Guards plain functions: each call needs a decision first and is recorded afterwards. Needs no model.
import { createTouchstone } from '@touchstone/sdk'
import { createGuard, GuardRefusal, guardTool } from '@touchstone/sdk/guard'
import { createLocalPolicy } from '@touchstone/sdk/local-policy'
import { agentId, baseUrl, setUp, tools, touchstone } from './shop-desk.mjs'

await setUp()

const guard = createGuard({
  client: touchstone,
  agentId,
  // Allows calls locally in microseconds. Without it, the service decides about every call.
  local: createLocalPolicy({ client: touchstone, agentId }),
  onDecision: ({ decision, source }, { tool }) => console.log(`${tool}: ${decision} (${source})`),
})

const search = guardTool(tools.shop_search, { guard, tool: 'shop_search', action: 'search_orders' })
const refund = guardTool(tools.shop_refund, { guard, tool: 'shop_refund', action: 'refund' })
const shell = guardTool(tools.shell_run, { guard, tool: 'shell_run' })

console.log(await search({ order: 1182 }))

try {
  await shell({ command: 'rm -rf /' })
} catch (error) {
  if (!(error instanceof GuardRefusal)) throw error
  console.log(error.message)
}

try {
  await refund({ order: 1182, amount: 20 })
} catch (error) {
  if (!(error instanceof GuardRefusal) || error.code !== 'escalated') throw error
  console.log(error.message)
  // A person approves, in the dashboard or with a credential of their own: the key that asked cannot.
  const token = process.env.TOUCHSTONE_APPROVER
  if (token === undefined) {
    console.log(
      'Approve it in the dashboard, or set TOUCHSTONE_APPROVER to a key with scope approve',
    )
  } else {
    const approver = createTouchstone({ baseUrl, token })
    await approver.gateway.resolve(error.escalationId, { outcome: 'approve' })
    console.log(await refund({ order: 1182, amount: 20 }, { escalationId: error.escalationId }))
  }
}

await guard.flush()
for await (const trace of touchstone.traces.list({ agent_id: agentId, per_page: 4 })) {
  console.log(`recorded: ${trace.action.type} ${trace.action.name}`)
}
