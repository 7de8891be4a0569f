// Guards tools of the OpenAI Agents SDK. OPENAI_API_KEY, OPENAI_BASE_URL and MODEL select the model.
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import { createGuard } from '@touchstone/sdk/guard'
import { guardAgents } from '@touchstone/sdk/openai-agents'
import { actions, agentId, descriptions, setUp, tools, touchstone } from './shop-desk.mjs'

await setUp()

const guard = createGuard({ client: touchstone, agentId })
const guarded = guardAgents({ guard, actions })
const provider = new OpenAIProvider({ baseURL: process.env.OPENAI_BASE_URL })
const agent = new Agent({
  name: 'Shop desk',
  model: guarded.model(await provider.getModel(process.env.MODEL)),
  tools: descriptions.map(({ name, description, schema }) => {
    const parameters = { ...schema, additionalProperties: false }
    return tool(guarded.tool({ name, description, parameters, execute: tools[name] }))
  }),
})
const runner = new Runner({ tracingDisabled: true })

let result = await runner.run(agent, 'Where is order 1182? If it is late, refund 20 euros.')
while (result.interruptions.length > 0) {
  for (const interruption of result.interruptions) {
    console.log(`waits: ${guarded.requestOf(interruption).reasons}`)
    // Here a person approves the call in Touchstone. This one has no time.
    result.state.reject(interruption)
  }
  result = await runner.run(agent, result.state)
}

for (const item of result.newItems)
  if (item.type === 'tool_call_output_item') console.log(item.output)
console.log(result.finalOutput)

await guard.flush()
