// Guards a tool loop of the OpenAI SDK. OPENAI_API_KEY, OPENAI_BASE_URL and MODEL select the model.
import { createGuard } from '@touchstone/sdk/guard'
import { runToolCalls } from '@touchstone/sdk/openai'
import OpenAI from 'openai'
import { actions, agentId, descriptions, setUp, tools, touchstone } from './shop-desk.mjs'

await setUp()

const openai = new OpenAI()
const guard = createGuard({ client: touchstone, agentId })
const guarded = Object.fromEntries(
  Object.entries(tools).map(([name, run]) => [name, { run, action: actions[name] }]),
)

const messages = [{ role: 'user', content: 'Where is order 1182? If it is late, refund 20 euros.' }]

for (;;) {
  const { choices } = await openai.chat.completions.create({
    model: process.env.MODEL,
    messages,
    tools: descriptions.map(({ name, description, schema }) => ({
      type: 'function',
      function: { name, description, parameters: schema },
    })),
  })
  const { message } = choices[0]
  messages.push(message)
  if (!message.tool_calls?.length) {
    console.log(message.content)
    break
  }
  const results = await runToolCalls(guard, guarded, message)
  for (const { content } of results) console.log(content)
  messages.push(...results)
}

await guard.flush()
