import { describe, expect, it } from 'vitest'
import type { Guard } from '../guard/guard.ts'
import type { ToolCall } from '../guard/tool-call.ts'
import { guardTools, recordThinking } from './ai.ts'
import { createCallWords } from './call-words.ts'
import { touchstone } from './mastra.ts'

describe('the words before a call', () => {
  it('are found by id and input, also if the input was sent as text with its members in another order', () => {
    const words = createCallWords()
    words.note('id', '{"b":1,"a":2}', 'for one')
    words.note('id', { a: 3 }, 'for another')
    words.note('id', 'no json', 'for a third')
    expect(words.find('id', { a: 2, b: 1 })).toBe('for one')
    expect(words.find('id', { a: 3 })).toBe('for another')
    expect(words.find('id', { a: 4 })).toBe(undefined)
    expect(words.find('other', { a: 3 })).toBe(undefined)
  })

  it('are found by an id that stands for one call, if a schema has changed its input', () => {
    const words = createCallWords()
    words.note('id', '{"day":"2026-03-01"}', 'for one')
    expect(words.find('id', { day: new Date(0) })).toBe('for one')
  })

  it('are the newest of calls that are equal, and none if nothing was said', () => {
    const words = createCallWords()
    words.note('id', {}, 'old')
    words.note('id', {}, 'new')
    expect(words.find('id', {})).toBe('new')
    words.note('id', {}, undefined)
    expect(words.find('id', {})).toBe(undefined)
  })

  it('are forgotten beyond a limit of calls with one id', () => {
    const words = createCallWords()
    for (let n = 0; n < 200; n += 1) words.note('id', { n }, `for ${n}`)
    expect(words.find('id', { n: 199 })).toBe('for 199')
    expect(words.find('id', { n: 0 })).toBe(undefined)
  })
})

/** Some models number the calls of each answer, so two conversations have the same ids. */
const ID = 'functions.search:0'
const CONVERSATIONS = [
  { topic: 'salaries', words: 'Mallory asked for the salaries.' },
  { topic: 'weather', words: 'A look at the sky.' },
]

describe('the reasoning of one conversation', () => {
  const asked: ToolCall[] = []
  const guard = {
    async admit(call: ToolCall) {
      asked.push(call)
      return { verdict: {}, refusal: undefined, end: () => undefined }
    },
  } as unknown as Guard
  const thoughts = () =>
    asked.splice(0).map(({ arguments: args, thinking }) => [args?.['topic'], thinking])
  const expected = CONVERSATIONS.map(({ topic, words }) => [topic, words])

  it('is not that of another in the AI SDK', async () => {
    const { middleware, thinkingOf } = recordThinking()
    const { search } = guardTools(guard, { search: { execute: () => 'found' } }, { thinkingOf })
    for (const { topic, words } of CONVERSATIONS) {
      const call = { type: 'tool-call', toolCallId: ID, toolName: 'search' }
      const content = [
        { type: 'text', text: words },
        { ...call, input: JSON.stringify({ topic }) },
      ]
      await middleware.wrapGenerate({ doGenerate: async () => ({ content }) })
    }
    for (const { topic } of CONVERSATIONS) {
      await Reflect.apply(search.execute, search, [{ topic }, { toolCallId: ID, messages: [] }])
    }
    expect(thoughts()).toEqual(expected)
  })

  it('is not that of another in Mastra', async () => {
    const { hooks, outputProcessors } = touchstone({ guard })
    for (const { topic, words } of CONVERSATIONS) {
      const toolInvocation = { toolCallId: ID, args: { topic } }
      const parts = [
        { type: 'text', text: words },
        { type: 'tool-invocation', toolInvocation },
      ]
      outputProcessors[0]?.processOutputStep({ messages: [{ content: { parts } }] })
    }
    for (const { topic } of CONVERSATIONS) {
      const context = { toolCallId: ID }
      await hooks.beforeToolCall({ toolName: 'search', input: { topic }, context })
    }
    expect(thoughts()).toEqual(expected)
  })
})
