import { describe, expect, it } from 'vitest'
import { anthropicStream, toolUse } from './anthropic-streams.fixture.ts'
import {
  anthropicWire,
  geminiWire,
  openaiChatWire,
  openaiResponsesWire,
  type WireFormat,
} from './index.ts'
import { chatStream, chatTool } from './openai-chat-streams.fixture.ts'
import { bytesOf, runStream } from './stream-run.fixture.ts'

/** Each is read differently by different programs: a decision about one would be for the other. */
const AMBIGUOUS = ['{"id":9007199254740993}', '{"path":"/tmp","path":"/etc"}', '{"n":1e400}']
const CLEAR = '{"id":9007199254740992,"n":6.02e23,"s":"9007199254740993"}'

type Form = [string, WireFormat, 'stream' | 'whole', (args: string) => string]
const FORMS: Form[] = [
  [
    'anthropic, streamed',
    anthropicWire,
    'stream',
    (a) => anthropicStream(toolUse(0, 'c', 'pay', a)),
  ],
  [
    'anthropic, whole',
    anthropicWire,
    'whole',
    (a) => `{"content":[{"type":"tool_use","id":"c","name":"pay","input":${a}}]}`,
  ],
  ['chat, streamed', openaiChatWire, 'stream', (a) => chatStream(chatTool(0, 'c', 'pay', a))],
  [
    'chat, whole',
    openaiChatWire,
    'whole',
    (a) =>
      `{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"pay","arguments":${JSON.stringify(a)}}}]}}]}`,
  ],
  [
    'responses, whole',
    openaiResponsesWire,
    'whole',
    (a) => `{"output":[{"type":"local_shell_call","call_id":"c","action":${a}}]}`,
  ],
  [
    'gemini, whole',
    geminiWire,
    'whole',
    (a) => `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"pay","args":${a}}}]}}]}`,
  ],
  [
    'gemini, streamed',
    geminiWire,
    'stream',
    (a) =>
      `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"pay","args":${a}}}]}}]}\n\n`,
  ],
]

function argumentsOf([, wire, form, bodyOf]: Form, args: string) {
  const bytes = bytesOf(bodyOf(args))
  const calls = form === 'whole' ? wire.readAnswer(bytes)?.calls : runStream(wire, [bytes]).calls
  expect(calls).toHaveLength(1)
  return calls?.[0]?.arguments
}

describe.each(FORMS)('arguments of %s', (...form) => {
  it.each(AMBIGUOUS)('that programs read differently are unreadable: %s', (args) => {
    expect(argumentsOf(form, args)).toMatchObject({ isReadable: false })
  })

  it('that all programs read alike are readable', () => {
    expect(argumentsOf(form, CLEAR)).toMatchObject({ isReadable: true, value: JSON.parse(CLEAR) })
  })
})
