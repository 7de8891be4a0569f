import { describe, expect, it } from 'vitest'
import { mcpToolName, readToolDefinition } from './tool-pin.ts'

const TOOL = { name: 'refund', description: 'Refunds.', input_schema: { type: 'object' } }
const read = (change: object, server = 'shop') => readToolDefinition(server, { ...TOOL, ...change })
const hashOf = (change: object) => {
  const reading = read(change)
  if (!reading.ok) throw new Error(reading.reason)
  return reading.tool.sha256
}

describe('the definition of a tool', () => {
  it('is hashed as canonical JSON of name, description, input schema and annotations', () => {
    expect(read({ title: 'Refund', outputSchema: {} })).toMatchObject({
      ok: true,
      tool: { text: '{"description":"Refunds.","input_schema":{"type":"object"},"name":"refund"}' },
    })
    expect(hashOf({ input_schema: { b: 1, a: 2 } })).toBe(hashOf({ input_schema: { a: 2, b: 1 } }))
    expect(hashOf({ description: 'Refunds. ' })).not.toBe(hashOf({}))
    expect(hashOf({ annotations: {} })).not.toBe(hashOf({}))
    expect(hashOf({ description: '\\u0000' })).not.toBe(hashOf({}))
    expect(mcpToolName('shop', 'refund')).toBe('mcp__shop__refund')
  })

  const deep: unknown = JSON.parse(`${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`)

  it.each([
    ['a name with white space', { name: 'two words' }],
    ['a name that is too long', { name: 'x'.repeat(250) }],
    ['no name', { name: undefined }],
    ['a description that is not a text', { description: 7 }],
    ['no input schema', { input_schema: undefined }],
    ['a list as input schema', { input_schema: [] }],
    ['annotations that are not an object', { annotations: 'none' }],
    ['a lone surrogate', { description: '\ud800' }],
    ['a NUL character', { description: 'a\u0000' }],
    ['a NUL character after a backslash', { description: '\\\u0000' }],
    ['a schema that is too deep', { input_schema: { deep } }],
    ['more than 64 KB', { description: 'é'.repeat(33_000) }],
  ])('cannot be pinned with %s', (_what, change) => {
    expect(read(change)).toMatchObject({ ok: false, reason: expect.any(String) })
  })

  it('cannot be pinned if it is not an object', () => {
    for (const input of [null, 'refund', [TOOL]]) {
      expect(readToolDefinition('shop', input).ok).toBe(false)
    }
  })
})
