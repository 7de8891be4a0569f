import { describe, expect, it } from 'vitest'
import { namesInCondition } from './condition-reads.ts'

describe('the names in a condition', () => {
  it.each([
    ['args.amount > 50', ['args.amount']],
    ["tool_matches('mcp__*') and not tool_new", ['tool', 'tool_new']],
    ["(args.a == args.b.0 or args.a > 2) and tool == 'pay'", ['args.a', 'args.b.0', 'tool']],
    ["'args.amount' == 'tool'", []],
    ['args.amount >', []],
    ['limit refunds', []],
    ['', []],
  ])('of %s', (text, names) => {
    expect(namesInCondition(text)).toEqual(names)
  })
})
