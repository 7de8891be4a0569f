// Guards the tools of Google's Agent Development Kit. GOOGLE_API_KEY and MODEL select the model.
import { FunctionTool, InMemoryRunner, LlmAgent } from '@google/adk'
import { touchstonePlugin } from '@touchstone/sdk/adk'
import { createGuard } from '@touchstone/sdk/guard'
import { actions, agentId, descriptions, setUp, tools, touchstone } from './shop-desk.mjs'

await setUp()
const guard = createGuard({ client: touchstone, agentId })

const agent = new LlmAgent({
  name: 'shop_desk',
  model: process.env.MODEL,
  tools: descriptions.map(({ name, description, schema: parameters }) => {
    return new FunctionTool({ name, description, parameters, execute: tools[name] })
  }),
})
const runner = new InMemoryRunner({ agent, plugins: [touchstonePlugin({ guard, actions })] })
const { appName, sessionService } = runner
const { id: sessionId, userId } = await sessionService.createSession({ appName, userId: 'me' })

let parts = [{ text: 'Where is order 1182? If it is late, refund 20 euros.' }]
while (parts.length > 0) {
  const events = runner.runAsync({ userId, sessionId, newMessage: { role: 'user', parts } })
  parts = []
  for await (const { content } of events) {
    for (const { text, thought, functionCall, functionResponse } of content?.parts ?? []) {
      if (text && !thought) console.log(text)
      if (functionResponse) console.log(JSON.stringify(functionResponse.response))
      if (functionCall?.name !== 'adk_request_confirmation') continue
      const { escalation_id, approve_url } = functionCall.args.toolConfirmation.payload
      console.log(`Approve it within a minute: ${approve_url}`)
      const { status } = await touchstone.gateway.escalation(escalation_id, { wait: 60 })
      const response = { confirmed: status === 'approved' }
      parts.push({ functionResponse: { id: functionCall.id, name: functionCall.name, response } })
    }
  }
}
await guard.flush()
