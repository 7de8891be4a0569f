// Guards tools of the Vercel AI SDK. OPENAI_API_KEY, OPENAI_BASE_URL and MODEL select the model.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { guardTools, recordThinking } from '@touchstone/sdk/ai'
import { createGuard } from '@touchstone/sdk/guard'
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from 'ai'
import { actions, agentId, descriptions, setUp, tools, touchstone } from './shop-desk.mjs'

await setUp()
const guard = createGuard({ client: touchstone, agentId })
const { middleware, thinkingOf } = recordThinking()
const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, MODEL } = process.env
const provider = createOpenAICompatible({ name: 'openai', apiKey, baseURL })
const toolSet = descriptions.map(({ name, description, schema }) => {
  return [name, tool({ description, inputSchema: jsonSchema(schema), execute: tools[name] })]
})
const approvals = new Map()
const onApprovalRequest = (request, { toolCallId }) => approvals.set(toolCallId, request)
const options = {
  model: wrapLanguageModel({ model: provider(MODEL), middleware }),
  tools: guardTools(guard, Object.fromEntries(toolSet), { actions, thinkingOf, onApprovalRequest }),
  stopWhen: stepCountIs(10),
}
const messages = [{ role: 'user', content: 'Where is order 1182? If it is late, refund 20 euros.' }]
let requests = []
do {
  const { text, content, response, responseMessages } = await generateText({ ...options, messages })
  console.log(text)
  messages.push(...(responseMessages ?? response.messages)) // version 7, version 6
  requests = content.filter(({ type }) => type === 'tool-approval-request')
  for (const { approvalId, toolCall } of requests) {
    const { escalation_id, approve_url } = approvals.get(toolCall.toolCallId)
    console.log(`Approve it within a minute: ${approve_url}`)
    const { status } = await touchstone.gateway.escalation(escalation_id, { wait: 60 })
    const answer = { type: 'tool-approval-response', approvalId, approved: status === 'approved' }
    messages.push({ role: 'tool', content: [answer] })
  }
} while (requests.length > 0)
await guard.flush()
