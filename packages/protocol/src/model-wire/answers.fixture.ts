import { anthropicWire } from './anthropic.ts'
import { anthropicStreams } from './anthropic-streams.fixture.ts'
import { chunk } from './events.fixture.ts'
import { geminiWire } from './gemini.ts'
import { geminiResponses } from './gemini-streams.fixture.ts'
import { openaiChatWire } from './openai-chat.ts'
import { chatStreams } from './openai-chat-streams.fixture.ts'
import { openaiResponsesWire } from './openai-responses.ts'
import { responsesStreams } from './openai-responses-streams.fixture.ts'
import type { StreamFormat, WireFormat } from './wire-format.ts'

/** Streams written after the published formats of the providers. */
export type StreamFixture = {
  name: string
  wire: WireFormat
  format: StreamFormat
  text: string
}

function fixtures(wire: WireFormat, streams: Record<string, string>): StreamFixture[] {
  return Object.entries(streams).map(([name, body]) => ({
    name: `${wire.name}: ${name}`,
    wire,
    format: 'sse',
    text: body,
  }))
}

const geminiEvents = Object.fromEntries(
  Object.entries(geminiResponses).map(([name, list]) => [name, list.map(chunk).join('')]),
)
const geminiArrays = Object.entries(geminiResponses).map(
  ([name, list]): StreamFixture => ({
    name: `gemini: ${name}, as an array`,
    wire: geminiWire,
    format: 'json_array',
    text: `[${list.map((item) => JSON.stringify(item, null, 2)).join('\n,\r\n')}\n]\n`,
  }),
)

const withLf = [
  ...fixtures(anthropicWire, anthropicStreams),
  ...fixtures(openaiChatWire, chatStreams),
  ...fixtures(openaiResponsesWire, responsesStreams),
  ...fixtures(geminiWire, geminiEvents),
]

/** All streams, with each of the line ends of server-sent events. */
export const STREAMS: readonly StreamFixture[] = [
  ...withLf,
  ...withLf.map((one) => ({
    ...one,
    name: `${one.name}, CRLF`,
    text: one.text.replaceAll('\n', '\r\n'),
  })),
  ...withLf.map((one) => ({
    ...one,
    name: `${one.name}, CR`,
    text: one.text.replaceAll('\n', '\r'),
  })),
  ...geminiArrays,
]

export function streamNamed(name: string): StreamFixture {
  const found = STREAMS.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no stream is named ${name}`)
  return found
}
