import { hashCanonical } from '@touchstone/protocol/crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type GatewayCall, validateCall } from './call.ts'

const CALL: GatewayCall = {
  agentId: 'agent-1',
  tool: 'mcp__shop__refund',
  arguments: undefined,
  justification: undefined,
  sessionId: undefined,
  callId: undefined,
  transactionId: undefined,
  escalationId: undefined,
}
const BYTES_MAX = 1024 * 1024
/** Arguments whose canonical JSON, `{"a":"…"}`, has this many bytes. */
const sized = (bytes: number) => ({ a: 'x'.repeat(bytes - 8) })

describe('a call', () => {
  it('has a hash for empty arguments and none without arguments', () => {
    expect(validateCall(CALL)).toEqual({ ok: true, argumentsHash: null })
    const checked = validateCall({ ...CALL, arguments: {} })
    expect(checked).toEqual({ ok: true, argumentsHash: hashCanonical({}) })
  })

  it('has a hash that does not depend on the order of the arguments', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.integer()), (given) => {
        const checked = validateCall({ ...CALL, arguments: given })
        const reversed = Object.fromEntries(Object.entries(given).reverse())
        expect(checked).toEqual({ ok: true, argumentsHash: hashCanonical(reversed) })
      }),
    )
  })

  it('accepts arguments up to 1 MB, counted in bytes', () => {
    expect(validateCall({ ...CALL, arguments: sized(BYTES_MAX) }).ok).toBe(true)
    const tooMany = validateCall({ ...CALL, arguments: sized(BYTES_MAX + 1) })
    expect(tooMany).toMatchObject({ ok: false, field: 'arguments', code: 'too_large' })
    const wide = { a: 'ü'.repeat(BYTES_MAX / 2) }
    expect(validateCall({ ...CALL, arguments: wide }).ok).toBe(false)
  })

  it.each(['', 'two words', 'line\nbreak', 'x'.repeat(257)])(
    'is rejected with the tool name %j',
    (tool) => {
      expect(validateCall({ ...CALL, tool })).toMatchObject({ ok: false, field: 'tool' })
    },
  )
})
