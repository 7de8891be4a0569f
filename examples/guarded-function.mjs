// A function that asks before it does anything, and tells what it did. No model is needed.
import { createGuard, GuardRefusal, guardTool } from '@touchstone/sdk/guard'
import { createLocalPolicy } from '@touchstone/sdk/local-policy'
import { agentId, setUp, tools, touchstone } from './shop-desk.mjs'

await setUp()

const guard = createGuard({
  client: touchstone,
  agentId,
  // What the policy allows is decided here, in microseconds; leave it out to ask about every call.
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
  // A person would do this, in the dashboard or with a key of their own.
  await touchstone.gateway.resolve(error.escalationId, { outcome: 'approve' })
  console.log(await refund({ order: 1182, amount: 20 }, { escalationId: error.escalationId }))
}

await guard.flush()
for await (const trace of touchstone.traces.list({ agent_id: agentId, per_page: 4 })) {
  console.log(`recorded: ${trace.action.type} ${trace.action.name}`)
}
