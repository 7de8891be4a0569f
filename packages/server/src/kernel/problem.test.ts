import { describe, expect, it } from 'vitest'
import { assertPrecondition } from './problem.ts'

const judge = (ifMatch: string | undefined, version?: number, ifNoneMatch?: string) => {
  try {
    assertPrecondition({ ifMatch, ifNoneMatch }, version)
    return 'passes'
  } catch (err) {
    return err instanceof Error && 'code' in err ? err.code : err
  }
}

describe('precondition', () => {
  it('passes without headers', () => {
    expect(judge(undefined, 2)).toBe('passes')
    expect(judge(undefined)).toBe('passes')
  })

  it('If-Match must name the current version, or any', () => {
    expect(judge('"v2"', 2)).toBe('passes')
    expect(judge('"v1", "v2"', 2)).toBe('passes')
    expect(judge('*', 2)).toBe('passes')
    expect(judge('"v1"', 2)).toBe('precondition_failed')
    expect(judge('W/"v2"', 2)).toBe('precondition_failed')
    expect(judge('*')).toBe('precondition_failed')
  })

  it('If-None-Match: * passes only if there is no version', () => {
    expect(judge(undefined, undefined, '*')).toBe('passes')
    expect(judge(undefined, 2, '*')).toBe('precondition_failed')
    expect(judge(undefined, 2, '"v2"')).toBe('precondition_failed')
    expect(judge(undefined, 2, 'W/"v2"')).toBe('precondition_failed')
    expect(judge(undefined, 2, '"v1"')).toBe('passes')
  })

  it('rejects an ETag without quotes', () => {
    expect(judge('v2', 2)).toBe('invalid_request')
    expect(judge(undefined, undefined, 'v2')).toBe('invalid_request')
  })
})
