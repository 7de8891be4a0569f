import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { fullOrShort } from '#harness/runs.ts'
import { STREAMS, type StreamFixture, streamNamed } from './answers.fixture.ts'
import { anthropicWire } from './anthropic.ts'
import { anthropicStream, toolUse } from './anthropic-streams.fixture.ts'
import { geminiWire } from './gemini.ts'
import { openaiChatWire } from './openai-chat.ts'
import { chatStream, chatTool } from './openai-chat-streams.fixture.ts'
import { openaiResponsesWire } from './openai-responses.ts'
import { bytesOf, refusalOf, runStream } from './stream-run.fixture.ts'
import type { MadeAnswer, ToolCall, WireFormat } from './wire-format.ts'

/** A client's view of an answer: the names of the calls it would execute, its texts, its end. */
type View = { calls: string[]; text: string; thinking?: string; end: string | null | undefined }

const options = (fetch: () => Promise<Response>) => ({ apiKey: 'k', maxRetries: 0, fetch })
const messages = [{ role: 'user' as const, content: 'Hi' }]
type StreamBody = () => Promise<Response>

async function viewAnthropic(body: StreamBody): Promise<View> {
  const client = new Anthropic(options(body))
  const stream = client.messages.stream({ model: 'm', max_tokens: 9, messages })
  const { content, stop_reason } = await stream.finalMessage()
  return {
    calls: content.flatMap((block) => (block.type === 'tool_use' ? block.name : [])),
    text: content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n'),
    thinking: content.flatMap((block) => (block.type === 'thinking' ? block.thinking : [])).join(),
    end: stop_reason,
  }
}

async function viewChat(body: StreamBody): Promise<View[]> {
  const client = new OpenAI(options(body))
  const completion = await client.chat.completions
    .stream({ model: 'm', messages })
    .finalChatCompletion()
  return completion.choices.map(({ message, finish_reason }) => ({
    calls: [
      ...(message.tool_calls ?? []).map((call) => call.function.name),
      ...('function_call' in message && message.function_call ? ['old'] : []),
    ],
    text: message.content ?? '',
    end: finish_reason,
  }))
}

async function viewResponses(body: StreamBody): Promise<View> {
  const client = new OpenAI(options(body))
  const stream = client.responses.stream({ model: 'm', input: 'Hi' })
  const numbers: number[] = []
  stream.on('event', ({ sequence_number }) => numbers.push(Number(sequence_number)))
  const { output, output_text, status } = await stream.finalResponse()
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  const calls = output.flatMap((item) =>
    'call_id' in item || item.type === 'mcp_approval_request' ? item.type : [],
  )
  return { calls, text: output_text ?? '', end: status }
}

const reply =
  (body: string, type = 'text/event-stream') =>
  async () =>
    new Response(body, { headers: { 'content-type': type } })

/** Every way to refuse the calls of a stream. */
function eachSubset(fixture: StreamFixture) {
  const count = runStream(fixture.wire, [bytesOf(fixture.text)]).calls.length
  return Array.from({ length: 2 ** count }, (_, mask) => {
    const refuse = ({ n }: ToolCall) => ((mask >> (n - 1)) & 1) === 1
    return { refuse, ...runStream(fixture.wire, [bytesOf(fixture.text)], { refuse }) }
  })
}

function complete(wire: WireFormat): StreamFixture[] {
  return STREAMS.filter((one) => {
    if (one.wire !== wire || one.format !== 'sse') return false
    return runStream(wire, [bytesOf(one.text)]).summary.end.kind === 'finished'
  })
}

describe('the official clients read a stream without its refused calls', () => {
  it.each(complete(anthropicWire))('$name', async (fixture) => {
    for (const { out, calls, refuse, summary } of eachSubset(fixture)) {
      const view = await viewAnthropic(reply(out))
      const kept = calls.filter((call) => !refuse(call))
      expect(view.calls).toEqual(kept.map(({ name }) => name))
      for (const call of calls.filter(refuse)) expect(view.text).toContain(refusalOf(call))
      expect(view.thinking?.replaceAll(',', '\n')).toBe(summary.thinking.replaceAll(',', '\n'))
      const original = summary.end.kind === 'finished' ? summary.end.reason : ''
      expect(view.end).toBe(calls.length > 0 && kept.length === 0 ? 'end_turn' : original)
    }
  })

  it.each(complete(openaiChatWire))('$name', async (fixture) => {
    for (const { out, calls, refuse } of eachSubset(fixture)) {
      const views = await viewChat(reply(out))
      for (const [choice, view] of views.entries()) {
        const own = calls.filter((call) => call.choice === choice)
        const kept = own.filter((call) => !refuse(call))
        expect(view.calls).toEqual(kept.map(({ name }) => name))
        for (const call of own.filter(refuse)) expect(view.text).toContain(refusalOf(call))
        if (kept.length === 0) expect(view.end).toBe('stop')
        else expect(view.end).toMatch(/tool_calls|function_call/)
      }
    }
  })

  it.each(complete(openaiResponsesWire))('$name', async (fixture) => {
    for (const { out, calls, refuse } of eachSubset(fixture)) {
      const view = await viewResponses(reply(out))
      expect(view.calls).toHaveLength(calls.filter((call) => !refuse(call)).length)
      for (const call of calls.filter(refuse)) expect(view.text).toContain(refusalOf(call))
      expect(view.end).toBe('completed')
    }
  })

  it.each(complete(geminiWire))('$name', (fixture) => {
    for (const { out, calls, refuse } of eachSubset(fixture)) {
      const parts = out
        .split(/[\r\n]+/)
        .filter((line) => line !== '')
        .flatMap((line) => JSON.parse(line.slice('data: '.length)).candidates)
        .flatMap(({ content }) => content.parts)
      const names = parts.flatMap(({ functionCall }) => functionCall?.name ?? [])
      expect(names).toEqual(calls.filter((call) => !refuse(call)).map(({ name }) => name))
      const text = parts.map((part) => part.text ?? '').join('')
      for (const call of calls.filter(refuse)) expect(text).toContain(refusalOf(call))
    }
  })
})

describe('the turn of a contained agent', () => {
  const turn = { model: 'm', id: 'abc123', createdAt: new Date('2026-03-01T12:00:00Z') }
  const from = ({ body, headers }: MadeAnswer) =>
    reply(new TextDecoder().decode(body), headers['content-type'])
  const told = { calls: [], text: 'Contained.' }

  it('is read by the official clients, streamed', async () => {
    const of = (wire: WireFormat) =>
      from(wire.refusalTurn('Contained.', { ...turn, format: 'sse' }))
    expect(await viewAnthropic(of(anthropicWire))).toMatchObject({ ...told, end: 'end_turn' })
    expect(await viewChat(of(openaiChatWire))).toMatchObject([{ ...told, end: 'stop' }])
    expect(await viewResponses(of(openaiResponsesWire))).toMatchObject({
      ...told,
      end: 'completed',
    })
  })

  it('is read by the official clients, whole', async () => {
    const of = (wire: WireFormat) =>
      options(from(wire.refusalTurn('Contained.', { ...turn, format: 'json' })))
    const anthropic = new Anthropic(of(anthropicWire))
    const message = await anthropic.messages.create({ model: 'm', max_tokens: 9, messages })
    expect(message.content).toEqual([{ type: 'text', text: 'Contained.' }])
    const chat = new OpenAI(of(openaiChatWire))
    const completion = await chat.chat.completions.create({ model: 'm', messages })
    expect(completion.choices[0]?.message.content).toBe('Contained.')
    const responses = new OpenAI(of(openaiResponsesWire))
    expect((await responses.responses.create({ model: 'm', input: 'Hi' })).output_text).toBe(
      'Contained.',
    )
  })
})

describe('an error of ours', () => {
  it('is thrown by the official clients as one of the provider', async () => {
    const failing = (wire: WireFormat) => async () => {
      const { status, headers, body } = wire.errorAnswer({ status: 403, message: 'Contained.' })
      return new Response(new TextDecoder().decode(body), { status, headers })
    }
    await expect(viewAnthropic(failing(anthropicWire))).rejects.toThrow('Contained.')
    await expect(viewChat(failing(openaiChatWire))).rejects.toThrow('Contained.')
    await expect(viewResponses(failing(openaiResponsesWire))).rejects.toThrow('Contained.')
  })

  it.each([
    ['anthropic: thinking, text and parallel tools', viewAnthropic],
    ['openai-chat: text, parallel tools and usage', viewChat],
    ['openai-responses: reasoning, functions and text', viewResponses],
  ])('ends a stream in the middle of a held call: %s', async (name, view) => {
    const { wire, text } = streamNamed(name)
    const stream = wire.createStream()
    const out: Uint8Array[] = []
    const step = stream.push(bytesOf(text))
    expect(step.decide).not.toHaveLength(0)
    out.push(...step.forward, stream.keepAlive(), ...stream.fail('Touchstone failed.'))
    const body = out.map((piece) => new TextDecoder().decode(piece)).join('')
    for (const { callId } of step.decide) expect(body).not.toContain(callId)
    await expect(view(reply(body))).rejects.toThrow('Touchstone failed.')
    expect(stream.push(bytesOf(text))).toEqual({ forward: [], decide: [], fault: undefined })
  })
})

/** The client of chat completions takes time that grows with the square of the calls. */
const CALLS = fullOrShort({ full: 1000, short: 200 })

describe('very many calls in a turn', () => {
  const isOdd = ({ n }: ToolCall) => n % 2 === 1
  const ids = Array.from({ length: CALLS }, (_, at) => `id_${at % 10}`)

  it('of which half are refused, with repeated ids: Messages API', async () => {
    const text = anthropicStream(...ids.map((id, at) => toolUse(at, id, `tool_${at}`, '{"a":1}')))
    const { out, calls } = runStream(anthropicWire, [bytesOf(text)], { refuse: isOdd })
    expect(calls).toHaveLength(CALLS)
    const view = await viewAnthropic(reply(out))
    expect(view.calls).toEqual(calls.filter((call) => !isOdd(call)).map(({ name }) => name))
    expect(view.end).toBe('tool_use')
  })

  it('of which half are refused, with repeated ids: chat completions', async () => {
    const text = chatStream(...ids.map((id, at) => chatTool(at, id, `tool_${at}`, '{"a":1}')))
    const { out, calls } = runStream(openaiChatWire, [bytesOf(text)], { refuse: isOdd })
    expect(calls).toHaveLength(CALLS)
    const [view] = await viewChat(reply(out))
    expect(view?.calls).toEqual(calls.filter((call) => !isOdd(call)).map(({ name }) => name))
  })
})
