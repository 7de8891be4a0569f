import { describe, expect, it } from 'vitest'
import { isListed } from './card.ts'

describe('isListed', () => {
  it.each([
    ['refund', ['search', 'refund'], true],
    ['refund', ['refund: up to the paid price'], true],
    ['refund: up to the paid price', ['refund: up to the paid price'], true],
    ['a:b', ['a:b:c'], false],
    ['refund', ['refunds', 'a refund: small'], false],
    ['refund', [], false],
  ])('%j in %j: %o', (name, entries, listed) => {
    expect(isListed(name, entries)).toBe(listed)
  })
})
