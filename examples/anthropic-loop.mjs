// Guards a tool loop of the Anthropic SDK. ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL and MODEL select the
// model.
import Anthropic from '@anthropic-ai/sdk'
import { runToolUses } from '@touchstone/sdk/anthropic'
import { createGuard } from '@touchstone/sdk/guard'
import { actions, agentId, descriptions, setUp, tools, touchstone } from './shop-desk.mjs'

await setUp()

const anthropic = new Anthropic()
const guard = createGuard({ client: touchstone, agentId })
const guarded = Object.fromEntries(
  Object.entries(tools).map(([name, run]) => [name, { run, action: actions[name] }]),
)

const messages = [{ role: 'user', content: 'Where is order 1182? If it is late, refund 20 euros.' }]

for (;;) {
  const message = await anthropic.messages.create({
    model: process.env.MODEL,
    max_tokens: 2048,
    messages,
    tools: descriptions.map(({ name, description, schema }) => ({
      name,
      description,
      input_schema: schema,
    })),
  })
  messages.push({ role: 'assistant', content: message.content })
  if (message.stop_reason !== 'tool_use') {
    for (const block of message.content) if (block.type === 'text') console.log(block.text)
    break
  }
  const results = await runToolUses(guard, guarded, message)
  for (const { content } of results) console.log(content)
  messages.push({ role: 'user', content: results })
}

await guard.flush()
