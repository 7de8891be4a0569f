// Guards the tools of a LangChain agent. OPENAI_API_KEY, OPENAI_BASE_URL and MODEL select the model.
import { Command, MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { createGuard } from '@touchstone/sdk/guard'
import { touchstoneMiddleware } from '@touchstone/sdk/langchain'
import { createAgent, tool } from 'langchain'
import { actions, agentId, descriptions, setUp, tools, touchstone } from './shop-desk.mjs'

await setUp()

const guard = createGuard({ client: touchstone, agentId })
const agent = createAgent({
  model: new ChatOpenAI({ model: process.env.MODEL, useResponsesApi: true }),
  tools: descriptions.map((one) => tool((input) => tools[one.name](input), one)),
  middleware: [touchstoneMiddleware({ guard, actions })],
  checkpointer: new MemorySaver(),
})
const thread = { configurable: { thread_id: crypto.randomUUID() } }
const question = 'Where is order 1182? If it is late, refund 20 euros.'

let result = await agent.invoke({ messages: [{ role: 'user', content: question }] }, thread)
while (result.__interrupt__) {
  const [{ value }] = result.__interrupt__
  console.log(`waits: ${value.actionRequests[0].description}`)
  // Here a person approves the call in Touchstone. This one has no time.
  const answer = { decisions: [{ type: 'reject' }] }
  result = await agent.invoke(new Command({ resume: answer }), thread)
}

for (const { tool_call_id, content } of result.messages) if (tool_call_id) console.log(content)
console.log(result.messages.at(-1).text)

await guard.flush()
