import { describe, expect, it } from 'vitest'
import { streamNamed } from './answers.fixture.ts'
import { anthropicWire } from './anthropic.ts'
import { anthropicStream, toolUse } from './anthropic-streams.fixture.ts'
import { event } from './events.fixture.ts'
import { geminiWire } from './gemini.ts'
import { openaiChatWire } from './openai-chat.ts'
import { chatStream, chatTool, delta } from './openai-chat-streams.fixture.ts'
import { openaiResponsesWire } from './openai-responses.ts'
import { bytesOf, refusalOf, runStream } from './stream-run.fixture.ts'
import { ARGUMENT_BYTES_MAX, type WireFormat } from './wire-format.ts'

const MIB = 1024 * 1024
const WIRES = [anthropicWire, openaiChatWire, openaiResponsesWire, geminiWire]

const run = (wire: WireFormat, text: string, refuse?: () => boolean) =>
  runStream(wire, [bytesOf(text)], refuse && { refuse })
const all = () => true
const textOf = (pieces: readonly Uint8Array[]) =>
  pieces.map((piece) => new TextDecoder().decode(piece)).join('')

describe('bounded memory', () => {
  it.each(WIRES)('refuses 100 MB without a line end: $name', (wire) => {
    const stream = wire.createStream()
    let fault: unknown
    let held = 0
    for (let sent = 0; sent < 100 * MIB; sent += MIB) {
      const step = stream.push(new Uint8Array(MIB).fill(0x61))
      fault ??= step.fault
      held = Math.max(held, stream.heldBytes())
      expect(step.forward).toEqual([])
    }
    expect(fault).toEqual({ kind: 'event_too_large' })
    expect(held).toBeLessThanOrEqual(9 * MIB)
    expect(textOf(stream.fail('Too large.'))).toContain('Too large.')
    expect(stream.heldBytes()).toBe(0)
  })

  it('refuses 100 MB without a line end that came in small pieces', () => {
    const stream = anthropicWire.createStream({ eventBytesMax: 100_000 })
    const step = Array.from({ length: 20_001 }, () => stream.push(bytesOf('data:'))).at(-1)
    expect(step?.fault).toEqual({ kind: 'event_too_large' })
    const [first, ...rest] = stream.abandon()
    expect(first?.length).toBe('data:'.length)
    expect(rest.reduce((sum, piece) => sum + piece.length, 5)).toBe(100_005)
    expect(rest.length).toBeLessThan(40)
  })

  it('refuses an array of Gemini whose object does not end', () => {
    const stream = geminiWire.createStream({ format: 'json_array', eventBytesMax: 1000 })
    const step = stream.push(bytesOf(`[{"a":"${'x'.repeat(1000)}`))
    expect(step).toEqual({ forward: [], decide: [], fault: { kind: 'event_too_large' } })
    expect(JSON.parse(textOf(stream.fail('Too large.')))).toMatchObject([{ error: { code: 500 } }])
  })

  it('refuses more held bytes than allowed, and releases them on request', () => {
    const text = anthropicStream(toolUse(0, 'a', 'f', JSON.stringify({ x: 'y'.repeat(2000) })))
    const stream = anthropicWire.createStream({ heldBytesMax: 1000 })
    const step = stream.push(bytesOf(text))
    expect(step.fault).toEqual({ kind: 'held_too_large' })
    expect(textOf([...step.forward, ...stream.abandon()])).toBe(text)
  })

  it('keeps no more arguments than allowed, whether calls are settled or not', () => {
    const call = toolUse(0, 'a', 'f', JSON.stringify({ x: 'y'.repeat(1000) }))
    const text = anthropicStream(...Array.from({ length: 100 }, () => call))
    const pieces = text.split(/(?<=\n\n)/).map(bytesOf)
    const held = runStream(anthropicWire, pieces, { heldBytesMax: 20_000 })
    expect(held.faults).toEqual([{ kind: 'held_too_large' }])
    expect(held.calls.length).toBeLessThan(20)
    const options = { heldBytesMax: 20_000, isHolding: false }
    const observed = runStream(anthropicWire, pieces, options)
    expect(observed.out).toBe(text)
    expect(observed.calls.length).toBeLessThan(20)
  })

  it('cuts texts of more than 8 Mi characters', () => {
    const stream = openaiChatWire.createStream()
    const piece = bytesOf(delta({ content: 'x'.repeat(MIB) }))
    for (let at = 0; at < 9; at++) {
      expect(stream.push(piece).forward[0]).toHaveLength(piece.length)
    }
    const { outputText, isTextCut } = stream.summary()
    expect(outputText).toHaveLength(8 * MIB)
    expect(isTextCut).toBe(true)
  })

  it('does not let a call that was refused come back after abandon', () => {
    const { text } = streamNamed('openai-responses: reasoning, functions and text')
    const stream = openaiResponsesWire.createStream()
    const bytes = bytesOf(text)
    const middle = text.indexOf('"output_index":2')
    const before = stream.push(bytes.subarray(0, middle))
    const [call] = before.decide
    if (call === undefined) throw new Error('no call')
    const out = [...before.forward]
    out.push(...stream.settle([{ n: call.n, isReleased: false, text: refusalOf(call) }]))
    out.push(...stream.abandon(), ...stream.push(bytes.subarray(middle)).forward)
    out.push(...stream.end().forward)
    expect(textOf(out)).not.toContain('get_weather","arguments')
    expect(textOf(out)).toContain(refusalOf(call))
    expect(textOf(out)).toContain('delete_file')
  })

  it('reads without holding until an event is too large, and then only forwards', () => {
    const stream = openaiChatWire.createStream({ isHolding: false, eventBytesMax: 100 })
    const long = new Uint8Array(200).fill(0x61)
    expect(stream.push(long)).toEqual({ forward: [long], decide: [], fault: undefined })
    expect(stream.heldBytes()).toBe(0)
    expect(stream.push(bytesOf(delta({ content: 'x' }))).forward).toHaveLength(1)
    expect(stream.summary().outputText).toBe('')
  })
})

describe('arguments', () => {
  const reasonOf = (wire: WireFormat, text: string) => run(wire, text).calls[0]?.arguments

  it('that are not JSON are unreadable', () => {
    const expected = { isReadable: false, reason: 'not_json', text: '{"a":', bytes: 5 }
    expect(reasonOf(anthropicWire, anthropicStream(toolUse(0, 'a', 'f', '{"a":')))).toEqual(
      expected,
    )
    expect(reasonOf(openaiChatWire, chatStream(chatTool(0, 'a', 'f', '{"a":')))).toEqual(expected)
  })

  it('that are nested too deeply are unreadable', () => {
    const deep = `{"a":${'['.repeat(600)}${']'.repeat(600)}}`
    const text = anthropicStream(toolUse(0, 'a', 'f', deep))
    expect(reasonOf(anthropicWire, text)).toMatchObject({ reason: 'not_json' })
  })

  it('over 1 MB are unreadable and cut', () => {
    const long = JSON.stringify({ a: 'ü'.repeat(ARGUMENT_BYTES_MAX / 2) })
    const found = reasonOf(anthropicWire, anthropicStream(toolUse(0, 'a', 'f', long)))
    expect(found).toMatchObject({ reason: 'too_large', bytes: bytesOf(long).length })
    expect(found?.text.length).toBeLessThanOrEqual(2 * ARGUMENT_BYTES_MAX)
  })

  it('that are empty are no parameters, and free text is an input', () => {
    expect(reasonOf(anthropicWire, anthropicStream(toolUse(0, 'a', 'f', '')))).toMatchObject({
      value: {},
    })
    const { text } = streamNamed('openai-responses: custom and built-in calls, remote MCP')
    expect(run(openaiResponsesWire, text).calls).toMatchObject([
      { kind: 'custom', name: 'run', arguments: { value: { input: 'ls -l' } } },
      { kind: 'builtin', name: 'local_shell', callId: 'call_s' },
      { kind: 'approval', name: 'drop', callId: 'mcpr_1' },
    ])
  })

  it('that differ between two events of a response are unreadable', () => {
    const { text } = streamNamed('openai-responses: the same call twice')
    const changed = text.replace('"delta":"{}"', '"delta":"{1}"')
    expect(reasonOf(openaiResponsesWire, changed)).toMatchObject({ reason: 'inconsistent' })
  })

  it('of Gemini in fragments are unreadable', () => {
    const { text } = streamNamed('gemini: a call in fragments')
    expect(reasonOf(geminiWire, text)).toMatchObject({ reason: 'fragments' })
    const { out } = run(geminiWire, text, all)
    expect(out).not.toContain('functionCall')
    expect(out.match(/Touchstone blocked write/g)).toHaveLength(1)
    const other = text.replace('{"functionCall":{}}', '{"functionCall":{"name":"rm","args":{}}}')
    expect(run(geminiWire, other).calls.map(({ name }) => name)).toEqual(['write', 'rm'])
  })
})

describe('never half a call', () => {
  /** In each, the place is within the last call that the list has not. */
  it.each([
    ['anthropic: thinking, text and parallel tools', 'event: content_block_delta', 'toolu_02', 1],
    ['openai-chat: text, parallel tools and usage', '"finish_reason":"tool_calls"', 'call_c', 0],
    [
      'openai-responses: reasoning, functions and text',
      'event: response.function_call_arguments.done',
      'call_b',
      1,
    ],
    ['gemini: a call in fragments', '"functionCall":{}', 'write', 0],
  ])('if the stream ends within one: %s', (name, mark, call, before) => {
    const { wire, text } = streamNamed(name)
    const cut = text.slice(0, text.lastIndexOf('\n\n', text.lastIndexOf(mark)) + 2)
    expect(cut).toContain(call)
    const { out, faults, calls } = run(wire, cut)
    expect(calls).toHaveLength(before)
    expect(out).not.toContain(call)
    expect(out.startsWith(text.slice(0, 20))).toBe(true)
    expect(faults).toEqual([{ kind: 'truncated_call', hasProviderError: false }])
  })

  it('if the provider reports an error within one, which the client gets', () => {
    const { text } = streamNamed('anthropic: thinking, text and parallel tools')
    const at = text.indexOf('event: content_block_stop', text.indexOf('toolu_02'))
    const failure = event({ type: 'error', error: { type: 'api_error', message: 'Broken' } })
    const { out, faults, calls, summary } = run(anthropicWire, text.slice(0, at) + failure)
    expect(faults).toEqual([{ kind: 'truncated_call', hasProviderError: true }])
    expect(out).toContain('toolu_01')
    expect(out).not.toContain('toolu_02')
    expect(out.endsWith(failure)).toBe(true)
    expect(calls).toHaveLength(1)
    expect(summary.end).toEqual({ kind: 'failed', message: 'Broken' })
  })

  it('if the error is followed by more in the same bytes', () => {
    const { text } = streamNamed('anthropic: thinking, text and parallel tools')
    const at = text.indexOf('event: content_block_stop', text.indexOf('toolu_02'))
    const failure = event({ type: 'error', error: { type: 'api_error', message: 'Broken' } })
    const whole = bytesOf(`${text.slice(0, at)}${failure}${event({ type: 'ping' })}`)
    const { out } = run(anthropicWire, new TextDecoder().decode(whole))
    const single = [...whole].map((byte) => Uint8Array.of(byte))
    expect(out).toBe(runStream(anthropicWire, single).out)
    expect(out.endsWith(event({ type: 'ping' }))).toBe(true)
  })

  it('if fragments follow the end of one, which clients would append', () => {
    const late = event({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: ',"admin":true' },
    })
    const { text } = { text: anthropicStream(toolUse(0, 'a', 'f', '{"a":1}') + late) }
    expect(run(anthropicWire, text).out).toBe(text.replace(late, ''))
    const chat = chatStream(chatTool(0, 'a', 'f', '{"a":1}'), delta({}, 'tool_calls'))
    const more = delta({ tool_calls: [{ index: 0, function: { arguments: ',"b":2' } }] })
    expect(run(openaiChatWire, chat.replace('data: [DONE]', `${more}data: [DONE]`)).out).toBe(chat)
  })

  it('with several calls at one index, as some servers send them', () => {
    const text = chatStream(chatTool(0, 'a', 'f', '{"a":1}'), chatTool(0, 'b', 'g', '{"b":2}'))
    const { calls, out } = runStream(openaiChatWire, [bytesOf(text)], {
      refuse: ({ name }) => name === 'f',
    })
    expect(calls.map(({ name }) => name)).toEqual(['f', 'g'])
    expect(out).not.toContain('"id":"a"')
    expect(out).toContain('"id":"b"')
  })

  it('without finish_reason, but with [DONE]', () => {
    const text = chatStream(chatTool(0, 'a', 'f', '{}')).replace(
      /data: [^\n]*"tool_calls"}[^\n]*\n\n/,
      '',
    )
    expect(run(openaiChatWire, text, all).out).not.toContain('"id":"a"')
  })

  it('that only the whole response at the end has', () => {
    const { text } = streamNamed('openai-responses: the same call twice')
    const last = text.slice(text.indexOf('event: response.completed'))
    const { calls, out } = run(openaiResponsesWire, last, all)
    expect(calls).toHaveLength(2)
    expect(out).not.toContain('function_call')
  })
})

describe('what no provider should send', () => {
  it.each(WIRES)('passes through: $name', (wire) => {
    const text =
      ': comment\n\nevent: x\n\nid: 3\nretry: 5\n\ndata:\n\n' +
      `data: {"type":5,"choices":"no","candidates":[3,{"content":7}],"delta":null}\n\n`
    expect(run(wire, text).out).toBe(text)
  })

  it('a refused call between data of several lines', () => {
    const json = JSON.stringify(
      {
        choices: [
          {
            index: 0,
            delta: {
              content: 'A',
              tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }],
            },
            finish_reason: 'tool_calls',
          },
        ],
      },
      null,
      1,
    )
    const text = `id: 7\n${json
      .split('\n')
      .map((line) => `data:${line}\n`)
      .join('')}\n`
    expect(run(openaiChatWire, text).out).toBe(text)
    const { out } = run(openaiChatWire, text, all)
    const data = out
      .split('\n')
      .map((line) => line.replace(/^data: /, ''))
      .join('')
    expect(JSON.parse(data)).toEqual({
      choices: [
        {
          index: 0,
          delta: { content: 'A\nTouchstone blocked f: not allowed (dec_1)' },
          finish_reason: 'stop',
        },
      ],
    })
  })
})
