import type Anthropic from '@anthropic-ai/sdk'
import type { Tool, ToolSet } from 'ai'
import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { completeCall, type Guard } from '../guard/guard.ts'
import { GuardRefusal } from '../guard/guard-refusal.ts'
import type { ToolCall, Verdict } from '../guard/tool-call.ts'
import { guardTools } from './ai.ts'
import { runToolUses } from './anthropic.ts'
import { modelWords } from './model-words.ts'
import { runFunctionCalls, runToolCalls } from './openai.ts'

/** Allows every call except to `shell`, and records the calls it was asked about. */
function testGuard() {
  const asked: ToolCall[] = []
  const admit: Guard['admit'] = async (call) => {
    asked.push(call)
    const undecided = { decisionId: null, escalationId: null, notices: [] }
    const isRefused = call.tool === 'shell'
    const verdict: Verdict = {
      decision: isRefused ? 'block' : 'allow',
      source: 'service',
      reasons: isRefused ? [{ code: 'forbidden', message: 'No shell' }] : [],
      ...undecided,
    }
    const refusal = isRefused ? new GuardRefusal('blocked', 'shell', verdict) : undefined
    return { verdict, refusal, escalation: undefined, cause: undefined, end: () => undefined }
  }
  const run: Guard['run'] = async (call, work) => completeCall(await admit(call), work)
  return { asked, guard: { admit, run } as Guard }
}

const TOOLS = {
  search: { run: ({ order }: { order: number }) => ({ order, due: 'today' }), action: 'look_up' },
  shell: () => 'never',
  broken: () => {
    throw new RangeError('broken')
  },
}
const REFUSED = 'shell was not called: it is not allowed. No shell'

describe('runToolUses', () => {
  it('accepts and returns the types of the Anthropic SDK', async () => {
    const { guard, asked } = testGuard()
    const content = [
      { type: 'thinking', thinking: 'First a look.', signature: '' },
      { type: 'tool_use', id: 'a', name: 'search', input: { order: 7 } },
      { type: 'tool_use', id: 'b', name: 'shell', input: {} },
      { type: 'tool_use', id: 'c', name: 'toString', input: {} },
    ] as Anthropic.ContentBlock[]
    const results: Anthropic.ToolResultBlockParam[] = await runToolUses(guard, TOOLS, { content })
    expect(results).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: '{"order":7,"due":"today"}' },
      { type: 'tool_result', tool_use_id: 'b', content: REFUSED, is_error: true },
      {
        type: 'tool_result',
        tool_use_id: 'c',
        content: 'There is no tool toString.',
        is_error: true,
      },
    ])
    expect(asked[0]).toMatchObject({ action: 'look_up', thinking: 'First a look.' })
  })

  it('rethrows an error thrown by a tool', async () => {
    const content = [{ type: 'tool_use', id: 'a', name: 'broken', input: {} }]
    await expect(runToolUses(testGuard().guard, TOOLS, { content })).rejects.toThrow(RangeError)
  })
})

describe('runToolCalls', () => {
  it('accepts and returns the types of the OpenAI SDK', async () => {
    const call = (id: string, name: string, args: string) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: args },
    })
    const message: OpenAI.ChatCompletionMessage = {
      role: 'assistant',
      content: 'A look.',
      refusal: null,
      tool_calls: [
        call('a', 'search', '{"order":7}'),
        call('b', 'shell', ''),
        call('c', 'search', '{'),
      ],
    }
    const { guard, asked } = testGuard()
    const answers: OpenAI.ChatCompletionMessageParam[] = await runToolCalls(guard, TOOLS, message)
    expect(answers.map(({ content }) => content)).toEqual([
      '{"order":7,"due":"today"}',
      JSON.stringify({ error: REFUSED }),
      '{"error":"The arguments are not valid JSON."}',
    ])
    expect(asked.map(({ thinking }) => thinking)).toEqual(['A look.', 'A look.'])
  })
})

describe('runFunctionCalls', () => {
  it('accepts and returns the types of the OpenAI SDK', async () => {
    const call = (call_id: string, name: string, args: string) =>
      ({ type: 'function_call', call_id, name, arguments: args }) as const
    const output: OpenAI.Responses.ResponseOutputItem[] = [
      { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'A look.' }] },
      call('a', 'search', '{"order":7}'),
      call('b', 'shell', ''),
      call('c', 'search', '{'),
      { type: 'custom_tool_call', call_id: 'd', name: 'shell', input: 'ls' },
    ]
    const { guard, asked } = testGuard()
    const answers: OpenAI.Responses.ResponseInputItem[] = await runFunctionCalls(guard, TOOLS, {
      output,
    })
    const refused = JSON.stringify({ error: REFUSED })
    expect(answers).toEqual([
      { type: 'function_call_output', call_id: 'a', output: '{"order":7,"due":"today"}' },
      { type: 'function_call_output', call_id: 'b', output: refused },
      {
        type: 'function_call_output',
        call_id: 'c',
        output: '{"error":"The arguments are not valid JSON."}',
      },
      { type: 'custom_tool_call_output', call_id: 'd', output: refused },
    ])
    expect(asked.map(({ thinking }) => thinking)).toEqual(['A look.', 'A look.', 'A look.'])
    expect(asked[2]?.arguments).toEqual({ input: 'ls' })
  })
})

describe('modelWords', () => {
  it.each([
    [
      'content blocks',
      [
        { type: 'thinking', thinking: 'First.' },
        { type: 'text', text: 'Then.' },
      ],
    ],
    ['reasoning and text', [{ reasoning: 'First.' }, 'Then.']],
    ['the same words twice', ['First.', { summary: [{ text: 'First.' }] }, 'Then.']],
    ['blank text', ['First.', ' ', 'Then.', '']],
  ])('reads %s', (_, answer) => expect(modelWords(answer)).toBe('First.\nThen.'))

  it.each([undefined, null, 7, '', [], {}, [{ type: 'redacted_thinking', data: 'x' }]])(
    'finds none in %j',
    (answer) => expect(modelWords(answer)).toBe(undefined),
  )
})

describe('guardTools', () => {
  it('accepts and returns the types of the AI SDK, and guards tools that have an execute function', async () => {
    const inputSchema = {} as Tool<{ order: number }>['inputSchema']
    const tools = {
      search: { inputSchema, execute: ({ order }: { order: number }) => `order ${order}` },
      shell: { inputSchema, execute: () => 'never' },
      elsewhere: { inputSchema, outputSchema: {} as Tool<string>['inputSchema'] },
    } satisfies Record<string, Tool<{ order: number }, string>>
    const { guard, asked } = testGuard()
    const actions = { search: 'look_up' }
    const guarded = guardTools(guard, tools, { actions, sessionOf: () => 'chat 7' })
    const set: ToolSet = guarded
    expect(await guarded.search.execute({ order: 7 })).toBe('order 7')
    await expect(guarded.shell.execute()).rejects.toThrow(REFUSED)
    expect(set['elsewhere']).toBe(tools.elsewhere)
    expect(asked[0]).toMatchObject({
      tool: 'search',
      action: 'look_up',
      arguments: { order: 7 },
      sessionId: 'chat-7',
    })
  })

  it('returns the last value that a streaming tool yields', async () => {
    async function* partialResults() {
      yield 'partial'
      yield 'complete'
    }
    const { slow } = guardTools(testGuard().guard, { slow: { execute: partialResults } })
    expect(await slow.execute()).toBe('complete')
  })
})
