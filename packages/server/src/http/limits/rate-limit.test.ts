import { describe, expect, it } from 'vitest'
import { decide, type RateReading, rateLimitHeaders, WINDOW_MS } from './rate-limit.ts'

const at = (time: string) => Date.parse(`2026-01-01T${time}Z`)

function readingOf(over: Partial<RateReading>): RateReading {
  return { window: undefined, bucket: undefined, used: 0, resetMs: 0, millitokens: 0, ...over }
}

/** The 11th request with a limit of ten, in a window opened at 12:00:05.200. */
function eleventh(nowMs: number) {
  const resetMs = at('12:00:05.200') + WINDOW_MS - nowMs
  return decide(readingOf({ window: { key: 'a', limit: 10 }, used: 10, resetMs }))
}

describe('decide', () => {
  it('rounds the wait to the end of the window up to whole seconds', () => {
    expect(eleventh(at('12:00:40.900'))).toEqual({
      allowed: false,
      by: 'window',
      limit: 10,
      remaining: 0,
      resetMs: 24_300,
      retryAfterSeconds: 25,
    })
  })

  it('never returns a wait below one second', () => {
    expect(eleventh(at('12:01:05.150'))).toMatchObject({ resetMs: 50, retryAfterSeconds: 1 })
  })

  it('returns a wait of one second for the limit per second', () => {
    const bucket = { key: 'a', perSecond: 50 }
    const window = { key: 'a r', limit: 10 }
    const decision = decide(readingOf({ window, bucket, resetMs: 40_000, millitokens: 999 }))
    expect(decision).toMatchObject({ allowed: false, by: 'bucket', retryAfterSeconds: 1 })
  })

  it('returns the longer wait if both limits reject', () => {
    const bucket = { key: 'a', perSecond: 50 }
    const window = { key: 'a r', limit: 10 }
    const decision = decide(readingOf({ window, bucket, used: 10, resetMs: 40_000 }))
    expect(decision).toMatchObject({ allowed: false, by: 'window', retryAfterSeconds: 40 })
  })

  it('returns no negative remainder when a limit was lowered below the usage', () => {
    const decision = decide(readingOf({ window: { key: 'a', limit: 5 }, used: 9, resetMs: 1_000 }))
    expect(decision).toMatchObject({ allowed: false, remaining: 0 })
  })

  it('allows requests without a limit', () => {
    expect(decide(readingOf({}))).toEqual({ allowed: true, by: 'none' })
  })
})

describe('rateLimitHeaders', () => {
  it('describes the window of an allowed request, without Retry-After', () => {
    const window = { key: 'a', limit: 100 }
    expect(rateLimitHeaders(decide(readingOf({ window, used: 2, resetMs: 59_001 })))).toEqual({
      'RateLimit-Limit': '100',
      'RateLimit-Remaining': '97',
      'RateLimit-Reset': '60',
      'RateLimit-Policy': '100;w=60',
    })
  })

  it('adds Retry-After for a rejected request', () => {
    expect(rateLimitHeaders(eleventh(at('12:00:40.900')))).toEqual({
      'RateLimit-Limit': '10',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '25',
      'RateLimit-Policy': '10;w=60',
      'Retry-After': '25',
    })
  })

  it('describes the limit per second if there is no window', () => {
    const bucket = { key: 'a', perSecond: 50 }
    expect(rateLimitHeaders(decide(readingOf({ bucket, millitokens: 50_000 })))).toEqual({
      'RateLimit-Limit': '50',
      'RateLimit-Remaining': '49',
      'RateLimit-Reset': '1',
      'RateLimit-Policy': '50;w=1',
    })
    expect(rateLimitHeaders(decide(readingOf({ bucket, millitokens: 0 })))).toMatchObject({
      'RateLimit-Policy': '50;w=1',
      'Retry-After': '1',
    })
  })

  it('is empty if the request was not counted', () => {
    expect(rateLimitHeaders(decide(readingOf({})))).toEqual({})
  })
})
