// Guards a tool loop of the Responses API of OpenAI. OPENAI_API_KEY, OPENAI_BASE_URL and MODEL select
// the model.
import { createGuard } from '@touchstone/sdk/guard'
import { runFunctionCalls } from '@touchstone/sdk/openai'
import OpenAI from 'openai'
import { actions, agentId, descriptions, setUp, tools, touchstone } from './shop-desk.mjs'

await setUp()

const openai = new OpenAI()
const guard = createGuard({ client: touchstone, agentId })
const guarded = Object.fromEntries(
  Object.entries(tools).map(([name, run]) => [name, { run, action: actions[name] }]),
)

const input = [{ role: 'user', content: 'Where is order 1182? If it is late, refund 20 euros.' }]

for (;;) {
  const response = await openai.responses.create({
    model: process.env.MODEL,
    input,
    tools: descriptions.map(({ name, description, schema }) => ({
      type: 'function',
      name,
      description,
      parameters: schema,
      strict: false,
    })),
  })
  const results = await runFunctionCalls(guard, guarded, response)
  for (const { output } of results) console.log(output)
  if (results.length === 0) {
    console.log(response.output_text)
    break
  }
  input.push(...response.output, ...results)
}

await guard.flush()
