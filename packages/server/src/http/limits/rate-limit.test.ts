import { describe, expect, it } from 'vitest'
import { decide, type RateReading, rateLimitHeaders, WINDOW_MS } from './rate-limit.ts'

const at = (time: string) => Date.parse(`2026-01-01T${time}Z`)

function reading(over: Partial<RateReading>): RateReading {
  return { window: undefined, bucket: undefined, used: 0, resetMs: 0, millitokens: 0, ...over }
}

/** The 11th request of ten, in a window opened at 12:00:05.200. */
function eleventh(nowMs: number) {
  const resetMs = at('12:00:05.200') + WINDOW_MS - nowMs
  return decide(reading({ window: { key: 'a', limit: 10 }, used: 10, resetMs }))
}

describe('decide', () => {
  it('tells a refused caller the whole seconds to the end of the window, rounded up', () => {
    expect(eleventh(at('12:00:40.900'))).toEqual({
      allowed: false,
      by: 'window',
      limit: 10,
      remaining: 0,
      resetMs: 24_300,
      retryAfterSeconds: 25,
    })
  })

  it('never tells a refused caller to wait for less than a second', () => {
    expect(eleventh(at('12:01:05.150'))).toMatchObject({ resetMs: 50, retryAfterSeconds: 1 })
  })

  it('tells a caller over its per-second limit to wait for one second', () => {
    const bucket = { key: 'a', perSecond: 50 }
    const window = { key: 'a r', limit: 10 }
    const decision = decide(reading({ window, bucket, resetMs: 40_000, millitokens: 999 }))
    expect(decision).toMatchObject({ allowed: false, by: 'bucket', retryAfterSeconds: 1 })
  })

  it('names the longer wait where both limits refuse', () => {
    const bucket = { key: 'a', perSecond: 50 }
    const window = { key: 'a r', limit: 10 }
    const decision = decide(reading({ window, bucket, used: 10, resetMs: 40_000 }))
    expect(decision).toMatchObject({ allowed: false, by: 'window', retryAfterSeconds: 40 })
  })

  it('shows no negative remainder when a limit was lowered below what is used', () => {
    const decision = decide(reading({ window: { key: 'a', limit: 5 }, used: 9, resetMs: 1_000 }))
    expect(decision).toMatchObject({ allowed: false, remaining: 0 })
  })

  it('allows what no limit applies to', () => {
    expect(decide(reading({}))).toEqual({ allowed: true, by: 'none' })
  })
})

describe('rateLimitHeaders', () => {
  it('describes the window of an allowed request and asks for no wait', () => {
    const window = { key: 'a', limit: 100 }
    expect(rateLimitHeaders(decide(reading({ window, used: 2, resetMs: 59_001 })))).toEqual({
      'RateLimit-Limit': '100',
      'RateLimit-Remaining': '97',
      'RateLimit-Reset': '60',
      'RateLimit-Policy': '100;w=60',
    })
  })

  it('adds Retry-After to a refusal', () => {
    expect(rateLimitHeaders(eleventh(at('12:00:40.900')))).toEqual({
      'RateLimit-Limit': '10',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '25',
      'RateLimit-Policy': '10;w=60',
      'Retry-After': '25',
    })
  })

  it('describes the per-second limit where that is what was measured', () => {
    const bucket = { key: 'a', perSecond: 50 }
    expect(rateLimitHeaders(decide(reading({ bucket, millitokens: 50_000 })))).toEqual({
      'RateLimit-Limit': '50',
      'RateLimit-Remaining': '49',
      'RateLimit-Reset': '1',
      'RateLimit-Policy': '50;w=1',
    })
    expect(rateLimitHeaders(decide(reading({ bucket, millitokens: 0 })))).toMatchObject({
      'RateLimit-Policy': '50;w=1',
      'Retry-After': '1',
    })
  })

  it('says nothing when nothing was measured', () => {
    expect(rateLimitHeaders(decide(reading({})))).toEqual({})
  })
})
