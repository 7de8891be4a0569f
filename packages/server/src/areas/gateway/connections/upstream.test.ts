import { describe, expect, it } from 'vitest'
import { judgeUpstream, PUBLIC_UPSTREAMS, upstreamOf } from './upstream.ts'

const upstreams = { ...PUBLIC_UPSTREAMS, openaiCompatible: ['http://localhost:11434'] }
const judge = (url: string | undefined) => judgeUpstream('openai_compatible', url, upstreams)

describe('judgeUpstream', () => {
  it('accepts a listed origin, with a path, without a slash at the end', () => {
    expect(judge('http://localhost:11434/')).toEqual({
      ok: true,
      upstreamUrl: 'http://localhost:11434',
    })
    expect(judge('http://localhost:11434/api/')).toEqual({
      ok: true,
      upstreamUrl: 'http://localhost:11434/api',
    })
  })

  it.each(['https://localhost:11434', 'http://localhost:11435', 'http://localhost.example:11434'])(
    'refuses %s, whose origin is not listed',
    (url) => {
      expect(judge(url)).toMatchObject({ ok: false, code: 'url_not_allowed' })
    },
  )

  it.each([
    undefined,
    'localhost',
    'http://user:secret@localhost:11434',
    'http://localhost:11434/?x=1',
    'http://localhost:11434/#x',
    'http://localhost:11434/a%2fb',
    'http://localhost:11434//x',
    'http://localhost:11434/v1',
  ])('rejects %s', (url) => {
    expect(judge(url)).toMatchObject({ ok: false, code: 'invalid_request' })
  })

  it('accepts no address for a provider that has its own', () => {
    expect(judgeUpstream('openai', 'http://localhost:11434', upstreams)).toMatchObject({
      ok: false,
    })
    expect(judgeUpstream('openai', undefined, upstreams)).toEqual({ ok: true, upstreamUrl: null })
  })
})

describe('upstreamOf', () => {
  it('is the address of the provider or of the connection', () => {
    expect(upstreamOf({ provider: 'gemini', upstreamUrl: null }, upstreams)).toBe(
      'https://generativelanguage.googleapis.com',
    )
    const own = { provider: 'openai_compatible', upstreamUrl: 'http://localhost:11434/x' } as const
    expect(upstreamOf(own, upstreams)).toBe('http://localhost:11434/x')
  })

  it('is none once the operator no longer lists its origin', () => {
    const own = { provider: 'openai_compatible', upstreamUrl: 'http://localhost:11434' } as const
    expect(upstreamOf(own, PUBLIC_UPSTREAMS)).toBeUndefined()
  })
})
