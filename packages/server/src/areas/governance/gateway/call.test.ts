import { hashCanonical } from '@touchstone/protocol/crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type GatewayCall, readCall } from './call.ts'

const CALL: GatewayCall = {
  agentId: 'agent-1',
  tool: 'mcp__shop__refund',
  arguments: undefined,
  sessionId: undefined,
  transactionId: undefined,
  escalationId: undefined,
}
const BYTES_MAX = 32 * 1024
/** As canonical JSON `{"a":"…"}`, so many bytes. */
const sized = (bytes: number) => ({ a: 'x'.repeat(bytes - 8) })

describe('a call', () => {
  it('without arguments has no hash of any, one with an empty object has', () => {
    expect(readCall(CALL)).toEqual({ ok: true, argumentsHash: null })
    const read = readCall({ ...CALL, arguments: {} })
    expect(read).toEqual({ ok: true, argumentsHash: hashCanonical({}) })
  })

  it('has the hash that anybody computes from its arguments', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.integer()), (given) => {
        const read = readCall({ ...CALL, arguments: given })
        const turned = Object.fromEntries(Object.entries(given).reverse())
        expect(read).toEqual({ ok: true, argumentsHash: hashCanonical(turned) })
      }),
    )
  })

  it('takes arguments up to 32 KB, in bytes and not in characters', () => {
    expect(readCall({ ...CALL, arguments: sized(BYTES_MAX) }).ok).toBe(true)
    const tooMany = readCall({ ...CALL, arguments: sized(BYTES_MAX + 1) })
    expect(tooMany).toMatchObject({ ok: false, field: 'arguments', code: 'too_large' })
    const wide = { a: 'ü'.repeat(BYTES_MAX / 2) }
    expect(readCall({ ...CALL, arguments: wide }).ok).toBe(false)
  })

  it.each(['', 'two words', 'line\nbreak', 'x'.repeat(257)])('names a tool, not %j', (tool) => {
    expect(readCall({ ...CALL, tool })).toMatchObject({ ok: false, field: 'tool' })
  })
})
