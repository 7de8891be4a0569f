import { createServer, type IncomingMessage } from 'node:http'
import { listen } from './listen.ts'

/** One turn of a model: text, or tool calls with optional thinking. */
export type Turn = { text: string } | { thinking?: string; calls: readonly ModelCall[] }
type ModelCall = { name: string; input: unknown }

/**
 * Starts a model that plays a script: the number of its own messages in the request picks the turn.
 * It speaks both tool protocols, at /v1/messages and at /chat/completions.
 */
export async function startToolModel(turns: readonly Turn[]) {
  const asked: { messages: { role: string; content: unknown }[] }[] = []
  const server = createServer(async (req, res) => {
    const body = JSON.parse(await textOf(req))
    asked.push(body)
    const spoken = body.messages.filter(({ role }: { role: string }) => role === 'assistant').length
    const turn = turns[spoken] ?? { text: 'Nothing more.' }
    const isAnthropic = req.url?.endsWith('/v1/messages')
    const said = isAnthropic ? anthropic(turn, spoken) : openai(turn, spoken)
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  })
  const port = await listen(server)
  return { url: `http://127.0.0.1:${port}`, asked }
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function openai(turn: Turn, spoken: number) {
  const calls = 'calls' in turn ? turn.calls : []
  const message = {
    role: 'assistant',
    content: 'text' in turn ? turn.text : (turn.thinking ?? null),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ name, input }, n) => ({
        id: `call_${spoken}_${n}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      })),
    }),
  }
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop'
  return {
    id: `chat-${spoken}`,
    object: 'chat.completion',
    created: 1,
    model: 'script',
    choices: [{ index: 0, message, finish_reason }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
}

function anthropic(turn: Turn, spoken: number) {
  const calls = 'calls' in turn ? turn.calls : []
  const thinking = 'calls' in turn ? turn.thinking : undefined
  const content = [
    ...('text' in turn ? [{ type: 'text', text: turn.text }] : []),
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: 'none' }]),
    ...calls.map(({ name, input }, n) => ({
      type: 'tool_use',
      id: `toolu_${spoken}_${n}`,
      name,
      input,
    })),
  ]
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
  return {
    id: `msg-${spoken}`,
    type: 'message',
    role: 'assistant',
    model: 'script',
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
}
