import { describe, expect, it } from 'vitest'
import { domainOf, toAddress, toDomain } from './domains.ts'

describe('toDomain', () => {
  it('normalises a domain', () => {
    expect(toDomain(' Example.COM ')).toBe('example.com')
    expect(toDomain('bücher.example')).toBe('xn--bcher-kva.example')
    expect(toDomain('a-b.co.uk')).toBe('a-b.co.uk')
  })

  it('refuses text that is not a mail domain', () => {
    const malformed = ['', 'localhost', '-a.com', 'a-.com', 'a..com', '.com', 'a b.com', 'a.com/b']
    const other = ['1.2.3.4', '*.example.com', '@example.com', 'x@example.com']
    for (const text of [...malformed, ...other]) {
      expect(toDomain(text)).toBeUndefined()
    }
  })
})

describe('toAddress', () => {
  it('lower-cases and trims an address', () => {
    expect(toAddress(' Ada@Example.COM ')).toBe('ada@example.com')
  })

  it('refuses malformed and ambiguous addresses', () => {
    for (const text of ['ada', 'a@b@c.com', 'a b@c.com', '@c.com', 'ada@', 'a\u0000@b.com']) {
      expect(toAddress(text)).toBeUndefined()
    }
    expect(toAddress(`${'a'.repeat(250)}@b.com`)).toBeUndefined()
  })
})

describe('domainOf', () => {
  it('is the normalised part after the @', () => {
    expect(domainOf('ada@bücher.example')).toBe('xn--bcher-kva.example')
    expect(domainOf('ada@localhost')).toBeUndefined()
  })
})
