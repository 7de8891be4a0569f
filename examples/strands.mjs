// Guards the tools of the Strands Agents SDK. ANTHROPIC_API_KEY and MODEL select the model.
import { Agent, InterruptResponseContent, tool } from '@strands-agents/sdk'
import { AnthropicModel } from '@strands-agents/sdk/models/anthropic'
import { createGuard } from '@touchstone/sdk/guard'
import { touchstonePlugin } from '@touchstone/sdk/strands'
import { actions, agentId, descriptions, setUp, tools, touchstone } from './shop-desk.mjs'

await setUp()
const guard = createGuard({ client: touchstone, agentId })

const agent = new Agent({
  model: new AnthropicModel({ modelId: process.env.MODEL, maxTokens: 1000 }),
  tools: descriptions.map(({ name, description, schema: inputSchema }) => {
    return tool({ name, description, inputSchema, callback: tools[name] })
  }),
  plugins: [touchstonePlugin({ guard, actions })],
  printer: false,
})

let result = await agent.invoke('Where is order 1182? If it is late, refund 20 euros.')
while (result.stopReason === 'interrupt') {
  const answers = result.interrupts.map(async ({ id: interruptId, reason }) => {
    console.log(`Approve it within a minute: ${reason.approve_url}`)
    const { status } = await touchstone.gateway.escalation(reason.escalation_id, { wait: 60 })
    return new InterruptResponseContent({ interruptId, response: status === 'approved' })
  })
  result = await agent.invoke(await Promise.all(answers))
}

for (const block of agent.messages.flatMap((message) => message.content)) {
  if (block.type === 'toolResultBlock') console.log(JSON.stringify(block.content))
}
console.log(String(result))

await guard.flush()
