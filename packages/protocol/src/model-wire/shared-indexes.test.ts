import { describe, expect, it } from 'vitest'
import { openaiChatWire } from './openai-chat.ts'
import { chatStream, delta } from './openai-chat-streams.fixture.ts'
import { bytesOf, runStream } from './stream-run.fixture.ts'
import type { ToolCall } from './wire-format.ts'

type Entry = Record<string, unknown>

const FIRST = { index: 0 }
const fn = (
  id: string | undefined,
  name: string,
  text: string,
  more: Entry = FIRST,
  choice = 0,
) => {
  const entry = { id, type: 'function', function: { name, arguments: text }, ...more }
  return delta({ tool_calls: [entry] }, null, choice)
}
const custom = (id: string | undefined, input: string, more: Entry = FIRST, choice = 0) => {
  const entry = { id, type: 'custom', custom: { name: 'shell', input }, ...more }
  return delta({ tool_calls: [entry] }, null, choice)
}
const legacy = (name: string, choice = 0) =>
  delta({ function_call: { name, arguments: '' } }, null, choice)

const run = (chunks: string[], refuse?: (call: ToolCall) => boolean) =>
  runStream(
    openaiChatWire,
    [bytesOf(chatStream(...chunks))],
    refuse === undefined ? {} : { refuse },
  )
const readable = (calls: readonly ToolCall[]) => calls.map((call) => call.arguments.isReadable)

/** Some clients join all fragments of an index, others start a call at each id. */
describe('streamed calls with different ids at one index', () => {
  it('are readable if both kinds of clients get arguments that were judged, or none', () => {
    const { calls } = run([fn('a', 'f', '{"a":1}'), fn('b', 'g', '{"b":2}')])
    expect(readable(calls)).toEqual([true, true])
  })

  it.each([
    ['custom tools', [custom('a', 'ls '), custom('b', '; rm -rf /')]],
    ['arguments of one call and the name of another', [fn('a', 'f', '{"x":1}'), fn('b', 'g', '')]],
    ['names without arguments', [fn('a', 'drop_', ''), fn('b', 'tables', ' ')]],
    ['three calls', [fn('a', 'f', '{}'), fn('b', 'f', ''), fn('c', 'f', '{"x":1}')]],
  ])('are not readable if a client could join them to another call: %s', (_, chunks) => {
    const { calls } = run(chunks)
    expect(readable(calls)).toEqual(chunks.map(() => false))
  })

  it('are not readable after the end of the first one', () => {
    const { calls } = run([custom('a', 'ls '), delta({}, 'tool_calls'), custom('b', '; rm -rf /')])
    expect(readable(calls)).toEqual([true, false])
  })
})

describe('streamed calls with one id at two indexes', () => {
  it('are calls of their own, and each can be refused', () => {
    const chunks = [fn('a', 'f', '{"a":1}'), fn('a', 'g', '{"b":2}', { index: 1 })]
    const { calls, out } = run(chunks, ({ n }) => n === 2)
    expect(readable(calls)).toEqual([true, true])
    expect(out).toContain('{\\"a\\":1}')
    expect(out).not.toContain('{\\"b\\":2}')
  })

  it('are not readable if a client that joins by id could get another call', () => {
    const { calls } = run([custom('a', 'ls '), custom('a', '; rm -rf /', { index: 1 })])
    expect(readable(calls)).toEqual([false, false])
  })
})

/** Many clients read the first choice of each chunk, whatever its index says. */
describe('streamed calls of several choices', () => {
  it('are readable if a client that ignores the choice gets what was judged, or nothing', () => {
    const { calls } = run([fn('a', 'f', '{"a":1}'), fn('b', 'g', '{"b":2}', FIRST, 1)])
    expect(readable(calls)).toEqual([true, true])
  })

  it.each([
    ['custom tools', custom('a', 'ls '), custom('b', '; rm -rf /', FIRST, 1)],
    ['names without arguments', fn('a', 'drop_', ''), fn('b', 'tables', '', FIRST, 1)],
    ['the legacy form', legacy('drop_'), legacy('tables', 1)],
  ])('are not readable if such a client could join them to another call: %s', (_, one, two) => {
    const { calls } = run([one, two])
    expect(readable(calls)).toEqual([false, false])
  })

  it('are not readable after the call of another choice has left', () => {
    const second = custom('b', '; rm -rf /', FIRST, 1)
    const { calls } = run([custom('a', 'ls '), delta({}, 'tool_calls'), second])
    expect(readable(calls)).toEqual([true, false])
  })
})

describe('streamed calls without an index', () => {
  it('are readable if each has an id of its own', () => {
    const { calls } = run([custom('a', 'ls ', {}), custom('b', 'rm -rf /', {})])
    expect(readable(calls)).toEqual([true, true])
  })

  it.each([
    ['equal ids', [custom('a', 'ls ', {}), custom('a', 'rm -rf /', {})]],
    ['no ids', [fn(undefined, 'f', '', {}), fn(undefined, 'f', '', {})]],
  ])('are not readable if a client could take fragments as calls: %s', (_, chunks) => {
    const { calls } = run(chunks)
    expect(readable(calls)).toEqual([false])
  })

  it('are not readable if the index is a text, which some clients take for the number', () => {
    const chunks = [custom('a', 'ls ', { index: '0' }), custom('b', '; rm', { index: '0' })]
    expect(readable(run(chunks).calls)).toEqual([false, false])
  })

  it('are not joined with those that have their id as an index', () => {
    const { calls } = run([custom('1', 'ls ', { index: 1 }), custom('1', 'rm -rf /', {})])
    expect(calls.map((call) => call.arguments.text)).toEqual(['ls ', 'rm -rf /'])
  })
})
