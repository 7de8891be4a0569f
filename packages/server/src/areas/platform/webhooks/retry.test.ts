import { describe, expect, it } from 'vitest'
import { type Answer, judge } from './retry.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const status = (code: number, retryAfter?: string): Answer => ({ status: code, retryAfter })
const after = (answer: Answer, attempt: number, random = 0.5) =>
  judge(answer, attempt, { random, now })

describe('the delay before the next attempt', () => {
  it.each([
    { attempt: 1, random: 0, delayMs: 9000 },
    { attempt: 1, random: 0.5, delayMs: 10_000 },
    { attempt: 2, random: 0.5, delayMs: 30_000 },
    { attempt: 3, random: 0.25, delayMs: 114_000 },
    { attempt: 4, random: 0.5, delayMs: 600_000 },
    { attempt: 5, random: 0.75, delayMs: 3_780_000 },
  ])('after attempt $attempt with r = $random is $delayMs ms', ({ attempt, random, delayMs }) => {
    expect(after(status(500), attempt, random)).toMatchObject({ status: 'retrying', delayMs })
  })

  it('adds up to 1:12:40 over all attempts', () => {
    const delays = [1, 2, 3, 4, 5].map((attempt) => {
      const verdict = after(status(503), attempt)
      return verdict.status === 'retrying' ? verdict.delayMs : 0
    })
    expect(delays.reduce((sum, delay) => sum + delay)).toBe(4_360_000)
  })

  it.each([
    { header: '5', delayMs: 60_000 },
    { header: undefined, delayMs: 60_000 },
    { header: ' 120 ', delayMs: 120_000 },
    { header: '999999', delayMs: 3_600_000 },
    { header: 'Sun, 01 Mar 2026 12:05:00 GMT', delayMs: 300_000 },
    { header: 'Sun, 01 Mar 2020 12:05:00 GMT', delayMs: 60_000 },
    { header: 'soon', delayMs: 60_000 },
    { header: '-1', delayMs: 60_000 },
  ])('after 429 with Retry-After $header is $delayMs ms', ({ header, delayMs }) => {
    expect(after(status(429, header), 1)).toMatchObject({ status: 'retrying', delayMs })
  })

  it('after 429 is never shorter than the regular delay', () => {
    expect(after(status(429, '5'), 5)).toMatchObject({ delayMs: 3_600_000 })
  })

  it('ignores Retry-After of other answers', () => {
    expect(after(status(503, '3000'), 1)).toMatchObject({ delayMs: 10_000 })
  })
})

describe('an attempt', () => {
  it('succeeds with any 2xx', () => {
    for (const code of [200, 201, 204, 299]) {
      expect(after(status(code), 1)).toEqual({ status: 'delivered' })
    }
  })

  it('fails permanently with any 4xx except 429', () => {
    for (const code of [400, 401, 404, 408, 410, 499]) {
      const error = `the receiver answered ${code}`
      expect(after(status(code), 1)).toEqual({ status: 'failed', error })
    }
  })

  it('is retried up to the sixth attempt after redirects, 429, 5xx and no answer', () => {
    const answers = [301, 307, 304, 429, 500, 503, 599].map((code) => status(code))
    for (const answer of [...answers, { error: 'no full answer in time' }]) {
      for (const attempt of [1, 2, 3, 4, 5]) {
        expect(after(answer, attempt).status).toBe('retrying')
      }
      expect(after(answer, 6).status).toBe('failed')
    }
  })
})
