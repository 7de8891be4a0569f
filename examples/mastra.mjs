// Guards the tools of an agent of Mastra. OPENAI_API_KEY, OPENAI_BASE_URL and MODEL select the model.
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { createGuard } from '@touchstone/sdk/guard'
import { touchstone as governance } from '@touchstone/sdk/mastra'
import { actions, agentId, descriptions, setUp, tools, touchstone } from './shop-desk.mjs'

await setUp()
const guard = createGuard({ client: touchstone, agentId })

const url = process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1'
const toolSet = descriptions.map(({ name, description, schema: inputSchema }) => [
  name,
  createTool({ id: name, description, inputSchema, execute: async (input) => tools[name](input) }),
])
const desk = new Agent({
  id: 'shop-desk',
  name: 'Shop desk',
  instructions: 'You help the customers of a shop.',
  model: { id: `openai/${process.env.MODEL}`, url, apiKey: process.env.OPENAI_API_KEY },
  tools: Object.fromEntries(toolSet),
  ...governance({ guard, actions }),
})
// A suspended run is kept in the storage until it is resumed.
new Mastra({ agents: { desk }, storage: new InMemoryStore() })

let result = await desk.generate('Where is order 1182? If it is late, refund 20 euros.')
while (result.finishReason === 'suspended') {
  const { toolCallId, suspendPayload } = result.suspendPayload
  console.log(`Approve it within a minute: ${suspendPayload.touchstone.approve_url}`)
  const { escalation_id } = suspendPayload.touchstone
  const { status } = await touchstone.gateway.escalation(escalation_id, { wait: 60 })
  const answer = { approved: status === 'approved' }
  result = await desk.resumeGenerate(answer, { runId: result.runId, toolCallId })
}
for (const { payload } of result.toolResults) console.log(JSON.stringify(payload.result))
console.log(result.text)
await guard.flush()
