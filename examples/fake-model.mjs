// A fake model with OpenAI's chat completions, to try the examples and the model gateway without an
// account: it looks up an order, tries a shell and then a refund, if it is offered these tools.
import { createServer } from 'node:http'

const CALLS = [
  ['shop_search', { order: 1182 }],
  ['shell_run', { command: 'ls' }],
  ['shop_refund', { order: 1182, amount: 20 }],
]

const server = createServer(async (req, res) => {
  const chunks = []
  for await (const chunk of req) chunks.push(chunk)
  const { tools = [], messages, model } = JSON.parse(Buffer.concat(chunks))
  const offered = tools.map((tool) => tool.function.name)
  const said = messages.filter(({ role }) => role === 'assistant').length
  const call = CALLS.filter(([name]) => offered.includes(name))[said]
  const message = { role: 'assistant', content: call ? null : 'The order is in the depot.' }
  if (call) {
    const [name, input] = call
    const made = { name, arguments: JSON.stringify(input) }
    message.tool_calls = [{ id: `call_${said}`, type: 'function', function: made }]
  }
  const choices = [{ index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' }]
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const created = Math.floor(Date.now() / 1000)
  const answer = { id: `chat_${said}`, object: 'chat.completion', created, model, choices, usage }
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
})
server.listen(Number(process.env.PORT ?? 8790), '127.0.0.1', () => {
  console.log(`The fake model listens on http://127.0.0.1:${server.address().port}`)
})
