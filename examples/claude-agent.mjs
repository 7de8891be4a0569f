// Guards an agent of the Claude Agent SDK. ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL select the model.
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk'
import { guardClaudeAgent } from '@touchstone/sdk/claude-agent'
import { createGuard } from '@touchstone/sdk/guard'
import { z } from 'zod'
import { actions, agentId, descriptions, setUp, tools, touchstone } from './shop-desk.mjs'

await setUp()

const guard = createGuard({ client: touchstone, agentId })
const shop = createSdkMcpServer({
  name: 'shop',
  tools: descriptions.map(({ name, description, schema }) => {
    const types = { number: z.number(), string: z.string() }
    const input = Object.entries(schema.properties).map(([key, { type }]) => [key, types[type]])
    return tool(name, description, Object.fromEntries(input), async (args) => ({
      content: [{ type: 'text', text: JSON.stringify(tools[name](args)) }],
    }))
  }),
})
const guarded = guardClaudeAgent({
  guard,
  actions,
  nameOf: (name) => name.replace('mcp__shop__', ''),
  // Here a person approves the call in Touchstone, while the agent waits. This one has no time.
  async ask({ reasons }) {
    console.log(`waits: ${reasons}`)
    return false
  },
})
const options = { ...guarded, mcpServers: { shop }, allowedTools: ['mcp__shop'] }
const prompt = 'Where is order 1182? If it is late, refund 20 euros.'

for await (const { type, message, result } of query({ prompt, options })) {
  const content = type === 'user' ? message.content : []
  for (const part of content) console.log(part.content[0]?.text ?? part.content)
  if (type === 'result') console.log(result)
}

await guard.flush()
