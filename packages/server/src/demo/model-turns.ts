import { CAST, type Part } from './cast.ts'
import type { Client, Step } from './client.ts'
import type { Turn } from './provider/turn.ts'
import { actionOf, thinkingOf } from './words.ts'

const DAY_MS = 24 * 60 * 60_000
const MINUTE_MS = 60_000

/** These call their model through the model gateway, since two weeks. */
const CALLERS = ['demo-research-alma', 'demo-support-willow'] as const
const SINCE_DAYS = 14
const EVERY_DAYS = 2

type Named = (id: string) => string

/**
 * Conversations with a made-up model, which the service observes. In the newest one of the research
 * librarian the model asks for a shell, which the house rules forbid.
 */
export function modelTurnSteps(now: Date, who: Named): Step[] {
  return CALLERS.flatMap((id, place) => {
    const part = CAST.find((one) => one.id === id)
    if (part === undefined) throw new Error(`${id} is not in the cast`)
    return stepsOf({ ...part, id: who(id) }, now, place)
  })
}

function stepsOf(part: Part, now: Date, place: number): Step[] {
  const at = (days: number) =>
    new Date(now.getTime() - days * DAY_MS - (place + 1) * 20 * MINUTE_MS)
  let baseUrl = ''
  const connect: Step = {
    at: at(SINCE_DAYS),
    async run({ callAsOwner }) {
      const path = `/v1/agents/${part.id}/connections`
      const body = { provider: 'anthropic', name: 'Production' }
      baseUrl = (await callAsOwner('POST', path, body)).base_url
    },
  }
  const days = Array.from({ length: SINCE_DAYS / EVERY_DAYS }, (_, n) => n * EVERY_DAYS)
  const talks = days.map((ago): Step => {
    const asksForShell = ago === 0 && part.id.startsWith('demo-research-alma')
    return {
      at: at(ago),
      run: (client) => talk(client, { part, baseUrl, number: 900 + ago, asksForShell }),
    }
  })
  return [connect, ...talks]
}

type Talk = { part: Part; baseUrl: string; number: number; asksForShell: boolean }

/** Two turns: the model asks for a tool, and with its result it answers, or asks for a shell. */
async function talk(client: Client, { part, baseUrl, number, asksForShell }: Talk): Promise<void> {
  const { item, source, topics } = part.work
  const topic = topics[number % topics.length]
  const sessionId = `${part.id}-m${number}`
  const question = `Please look into ${item} ${1000 + number}, which is about ${topic}.`
  const tool = actionOf(part, number)
  const thinking = (of: number) =>
    thinkingOf(part, { at: new Date(0), kind: 'clear', traced: false, number: of })
  const ask = (turn: Turn, messages: object[]) =>
    client.askModel({ baseUrl, turn, body: bodyOf(part, { messages, sessionId, tool }) })

  const call = { tool, input: { [item]: 1000 + number } }
  const messages: object[] = [{ role: 'user', content: question }]
  const first = await ask(
    { id: `${sessionId}a`, parts: [{ thinking: thinking(number) }, call] },
    messages,
  )
  const result = {
    type: 'tool_result',
    tool_use_id: `toolu_${sessionId}a_2`,
    content: `There are three entries in ${source}.`,
  }
  messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: [result] })
  const end = asksForShell
    ? { tool: 'run_shell', input: { command: `grep -ri "${topic}" ~/shared` } }
    : {
        text: `There are three entries about ${topic} in ${source}. I noted that on ${item} ${1000 + number}.`,
      }
  await ask({ id: `${sessionId}b`, parts: [{ thinking: thinking(number + 1) }, end] }, messages)
}

type Asked = { messages: object[]; sessionId: string; tool: string }

function bodyOf(part: Part, { messages, sessionId, tool }: Asked): object {
  const tools = [tool, 'run_shell'].map((name) => ({ name, input_schema: { type: 'object' } }))
  return {
    model: part.model,
    max_tokens: 2048,
    thinking: { type: 'enabled', budget_tokens: 1024 },
    metadata: { user_id: sessionId },
    tools,
    messages,
  }
}
