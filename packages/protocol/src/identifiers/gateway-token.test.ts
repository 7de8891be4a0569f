import { describe, expect, it } from 'vitest'
import { isWellFormedApiKey } from './api-key.ts'
import { formatGatewayToken, isWellFormedGatewayToken } from './gateway-token.ts'

const token = formatGatewayToken('a'.repeat(32))

describe('a gateway token', () => {
  it('has the form of an API key with its own prefix', () => {
    expect(token).toMatch(/^tgw_a{32}[0-9A-Za-z]{6}$/)
    expect(isWellFormedGatewayToken(token)).toBe(true)
  })

  it('is no API key, because its checksum covers the prefix', () => {
    expect(isWellFormedApiKey(token)).toBe(false)
    expect(isWellFormedApiKey(token.replace('tgw_', 'tsk_'))).toBe(false)
  })

  it.each(['', 'tgw_', token.slice(0, -1), `${token}a`, `${token.slice(0, -1)}!`])(
    'rejects %j',
    (text) => {
      expect(isWellFormedGatewayToken(text)).toBe(false)
    },
  )
})
