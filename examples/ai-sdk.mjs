// Guards tools of the Vercel AI SDK. OPENAI_API_KEY, OPENAI_BASE_URL and MODEL select the model.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { guardTools } from '@touchstone/sdk/ai'
import { createGuard } from '@touchstone/sdk/guard'
import { generateText, jsonSchema, stepCountIs, tool } from 'ai'
import { actions, agentId, descriptions, setUp, tools, touchstone } from './shop-desk.mjs'

await setUp()

const provider = createOpenAICompatible({
  name: 'openai',
  apiKey: process.env.OPENAI_API_KEY,
  baseURL: process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
})
const guard = createGuard({ client: touchstone, agentId })

const toolSet = Object.fromEntries(
  descriptions.map(({ name, description, schema }) => [
    name,
    tool({ description, inputSchema: jsonSchema(schema), execute: (input) => tools[name](input) }),
  ]),
)

const { text, steps } = await generateText({
  model: provider(process.env.MODEL),
  prompt: 'Where is order 1182? If it is late, refund 20 euros.',
  tools: guardTools(guard, toolSet, { actions }),
  stopWhen: stepCountIs(10),
})

for (const part of steps.flatMap((step) => step.content)) {
  if (part.type === 'tool-result') console.log(JSON.stringify(part.output))
  if (part.type === 'tool-error') console.log(part.error.message)
}
console.log(text)

await guard.flush()
