import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { agentCandidates, unknownAgent } from './agent-name.ts'
import { evidenceOf } from './evidence.ts'
import { readGenAiSpan } from './genai-span.ts'
import { type AttributeValue, CLIENT_KIND, type Span, type SpanEvent } from './span.ts'
import { tallyOf } from './tally.ts'

type Given = Record<string, AttributeValue>

function spanOf(attributes: Given, more: Partial<Span> = {}): Span {
  return {
    traceId: '47d8344c451eb79acd63f59f5cc635a9',
    spanId: '8687762e85722cbe',
    parentSpanId: '',
    name: '',
    kind: CLIENT_KIND,
    endMs: 1_794_818_997_583,
    failed: false,
    attributes: new Map(Object.entries(attributes)),
    events: [],
    resource: new Map(),
    scope: 'test',
    ...more,
  }
}

const chat = { 'gen_ai.operation.name': 'chat' }
const event = (name: string, attributes: Given): SpanEvent => ({
  name,
  attributes: new Map(Object.entries(attributes)),
})
const messages = (...parts: AttributeValue[]) => [{ role: 'assistant', parts }]

function outputOf(span: Span) {
  const reading = readGenAiSpan(span)
  return reading.kind === 'read' && reading.genai.kind === 'inference'
    ? reading.genai.modelOutput
    : reading
}

describe('the output of a model', () => {
  it.each<[string, Span]>([
    [
      'structured attributes',
      spanOf({ ...chat, 'gen_ai.output.messages': messages({ type: 'text', content: 'Hi.' }) }),
    ],
    [
      'an event with the details',
      spanOf(chat, {
        events: [
          event('gen_ai.client.inference.operation.details', {
            'gen_ai.output.messages': messages({ type: 'text', content: 'Hi.' }),
          }),
        ],
      }),
    ],
    [
      'a choice with its message',
      spanOf(chat, { events: [event('gen_ai.choice', { message: '{"content":"Hi."}' })] }),
    ],
    [
      'a choice whose message is its content',
      spanOf(chat, { events: [event('gen_ai.choice', { message: '[{"text":"Hi."}]' })] }),
    ],
    [
      'a choice that is its own attributes',
      spanOf(chat, { events: [event('gen_ai.choice', { content: 'Hi.', index: 0 })] }),
    ],
    ['plain words', spanOf({ ...chat, 'gen_ai.completion': 'Hi.' })],
  ])('is found in %s', (_form, span) => {
    expect(outputOf(span)).toMatchObject({ text: ['Hi.'], thinking: [], calls: [] })
  })

  it('is split into thinking, text and tool calls, also in provider-specific blocks', () => {
    const output = [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'A' },
          { reasoningContent: { reasoningText: { text: 'B' } } },
          { type: 'text', text: 'C' },
          { toolUse: { name: 'one', input: { a: 1 } } },
          { type: 'tool_use', name: 'two', input: {} },
          { type: 'image', content: 'not text' },
        ],
        tool_calls: [{ function: { name: 'three', arguments: 'no json' } }, { nothing: true }],
      },
    ]
    expect(outputOf(spanOf({ ...chat, 'gen_ai.output.messages': JSON.stringify(output) }))).toEqual(
      {
        thinking: ['A', 'B'],
        text: ['C'],
        calls: [
          { name: 'one', arguments: { a: 1 } },
          { name: 'two', arguments: {} },
          { name: 'three', arguments: 'no json' },
        ],
        besideAnswer: false,
      },
    )
  })

  it('is refused if it was truncated, with the reason', () => {
    const cut = spanOf({ ...chat, 'gen_ai.output.messages': '[{"role":"assistant","parts":[{"ty' })
    expect(readGenAiSpan(cut)).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('gen_ai.output.messages is not valid JSON'),
    })
  })

  it('is read once if two formats were recorded', () => {
    const both = spanOf(
      { ...chat, 'gen_ai.output.messages': messages({ type: 'text', content: 'Hi.' }) },
      { events: [event('gen_ai.choice', { content: 'Hi.' })] },
    )
    expect(outputOf(both)).toMatchObject({ text: ['Hi.'] })
  })
})

describe('a span', () => {
  it.each<[string, Span, string]>([
    ['without GenAI', spanOf({ 'http.request.method': 'GET' }), 'ignored'],
    ['of embeddings', spanOf({ 'gen_ai.operation.name': 'embeddings' }), 'ignored'],
    [
      'of an agent in the process',
      spanOf({ 'gen_ai.operation.name': 'invoke_agent' }, { kind: 1 }),
      'ignored',
    ],
    ['of an agent elsewhere', spanOf({ 'gen_ai.operation.name': 'invoke_agent' }), 'read'],
    ['of a call that failed', spanOf(chat, { failed: true }), 'ignored'],
    ['of a call without content', spanOf(chat), 'read'],
    ['without a trace id', spanOf(chat, { traceId: '0'.repeat(32) }), 'refused'],
    ['without a span id', spanOf(chat, { spanId: '' }), 'refused'],
    ['that has not ended', spanOf(chat, { endMs: 0 }), 'refused'],
    ['of a tool without a name', spanOf({ 'gen_ai.operation.name': 'execute_tool' }), 'refused'],
    [
      'of a tool named by the span',
      spanOf({ 'gen_ai.operation.name': 'execute_tool' }, { name: 'execute_tool f' }),
      'read',
    ],
  ])('%s is %s', (_what, span, kind) => {
    expect(readGenAiSpan(span).kind).toBe(kind)
  })
})

describe('a span with any content', () => {
  const names = [
    'gen_ai.output.messages',
    'gen_ai.completion',
    'gen_ai.completion.0.tool_calls.0.name',
    'gen_ai.tool.name',
    'gen_ai.tool.call.arguments',
    'gen_ai.input.messages',
    'gen_ai.event.content',
    'message',
    'tool_calls',
    'ai.response.toolCalls',
    'touchstone.values_applied',
    'gen_ai.conversation.id',
  ]
  const near = fc.constantFrom<AttributeValue>(
    [{ parts: [{ type: 'tool_call', name: 1 }, null, 'x'] }],
    { content: [[{}], { toolUse: [] }, { reasoningContent: { reasoningText: 7 } }] },
    [{ tool_calls: { function: null } }, { role: 'thinking', content: {} }],
  )
  const value = fc.oneof(near, fc.jsonValue({ maxDepth: 4 })).map((one) => one as AttributeValue)
  const given = fc.dictionary(
    fc.constantFrom(...names),
    fc.oneof(
      value,
      value.map((one) => JSON.stringify(one)),
      fc.string({ unit: 'binary' }),
    ),
  )

  it('is read, ignored or refused without an error', () => {
    const operation = fc.constantFrom('chat', 'execute_tool', 'invoke_agent')
    fc.assert(
      fc.property(given, given, operation, (attributes, body, name) => {
        const span = spanOf(
          { ...attributes, 'gen_ai.operation.name': name },
          { events: [event('gen_ai.choice', body), event('gen_ai.content.completion', body)] },
        )
        const reading = readGenAiSpan(span)
        if (reading.kind === 'read') evidenceOf(reading.genai, 'helper')
      }),
      runs(500),
    )
  })
})

describe('evidence', () => {
  const made = (span: Span) => {
    const reading = readGenAiSpan(span)
    if (reading.kind !== 'read') throw new Error(reading.kind)
    return evidenceOf(reading.genai, 'helper')
  }

  it.each<[string, Given, string]>([
    ['a text too long to judge', { 'gen_ai.completion': 'x'.repeat(400_001) }, '400000 characters'],
    ['a NUL inside JSON', { 'gen_ai.completion': '["\\u0000"]' }, 'NUL'],
    ['half a surrogate pair inside JSON', { 'gen_ai.completion': '["\\ud800"]' }, 'surrogate'],
    [
      'a tool with a name too long',
      { 'gen_ai.output.messages': messages({ type: 'tool_call', name: 'x'.repeat(257) }) },
      '256 characters',
    ],
    [
      'too many tools',
      {
        'gen_ai.output.messages': messages(
          ...Array.from({ length: 51 }, (_, n) => ({ type: 'tool_call', name: `t${n}` })),
        ),
      },
      '50 tools',
    ],
  ])('refuses %s', (_what, attributes, reason) => {
    expect(made(spanOf({ ...chat, ...attributes }))).toEqual({
      ok: false,
      reason: expect.stringContaining(reason),
    })
  })

  it('accepts arguments of any depth', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const output = messages({ type: 'tool_call', name: 'f', arguments: deep })
    expect(made(spanOf({ ...chat, 'gen_ai.output.messages': output }))).toMatchObject({ ok: true })
  })

  it('names the session by conversation, then session, then trace, always as a valid id', () => {
    const session = (attributes: Given) => {
      const one = made(spanOf({ ...chat, ...attributes }))
      return one.ok ? one.evidence.trace?.context.session_id : ''
    }
    expect(session({ 'gen_ai.conversation.id': 'c-1', 'session.id': 's-1' })).toBe('c-1')
    expect(session({ 'session.id': 's-1' })).toBe('s-1')
    expect(session({})).toBe('otel-47d8344c451eb79acd63f59f5cc635a9')
    expect(session({ 'gen_ai.conversation.id': 'a b/ü' })).toMatch(/^otel-[0-9a-f]{32}$/)
  })

  it('applies only the values the agent names', () => {
    const values = (named: AttributeValue) => {
      const one = made(spanOf({ ...chat, 'touchstone.values_applied': named }))
      return one.ok ? one.evidence.trace?.decision.values_applied : undefined
    }
    expect(values(['honesty', 7, ''])).toEqual(['honesty'])
    expect(values('honesty')).toEqual([])
  })
})

describe('the agent of a span', () => {
  const resource = new Map(Object.entries({ 'service.name': 'svc', 'gen_ai.agent.id': 'res' }))

  it('is named by the explicit attribute alone if it is set', () => {
    const own = new Map([...resource, ['touchstone.agent_id', 'ours']])
    expect(agentCandidates(spanOf({ 'gen_ai.agent.id': 'asst_1' }, { resource: own }))).toEqual([
      'ours',
    ])
    const span = spanOf({ 'touchstone.agent_id': 'nearer' }, { resource: own })
    expect(agentCandidates(span)).toEqual(['nearer'])
  })

  it('is otherwise the first present of agent id, agent name and service', () => {
    const span = spanOf(
      { 'gen_ai.agent.id': 'asst_1', 'gen_ai.agent.name': 'Helper' },
      { resource },
    )
    expect(agentCandidates(span)).toEqual(['asst_1', 'res', 'Helper', 'svc'])
  })

  it('is reported as unknown with instructions if there is none', () => {
    expect(unknownAgent(['svc'])).toMatch(/has the id "svc"; register it with POST \/v1\/agents/)
    expect(unknownAgent([])).toMatch(/^no attribute names an agent; register/)
  })
})

describe('the tally', () => {
  it('counts every span and lists the reasons of rejected, ignored and bare ones', () => {
    const rejected = (reason: string) => ({ kind: 'rejected' as const, reason })
    const fates = [
      { kind: 'accepted' as const, bare: true },
      { kind: 'duplicate' as const, bare: false },
      { kind: 'ignored' as const, reason: 'i0' },
      ...Array.from({ length: 7 }, (_, n) => rejected(`r${n}`)),
      rejected('r0'),
    ]
    expect(tallyOf(fates, 'span')).toEqual({
      accepted: 1,
      duplicates: 1,
      ignored: 1,
      rejected: 8,
      message: expect.stringMatching(
        /^2 spans: r0. 1 span: r1. 1 span: r2. 1 span: r3. 1 span: r4. and 2 more reasons. 1 span: ignored, i0. 1 span: recorded without content/,
      ),
    })
  })
})
