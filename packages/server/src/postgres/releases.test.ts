import { describe, expect, it } from 'vitest'
import { isOlder, parseRelease, versionOfSession, worksBeside } from './releases.ts'

const release = (version: string) => parseRelease(version) ?? expect.unreachable(version)

describe('worksBeside', () => {
  it.each([
    ['1.4.2', '1.4.9', true],
    ['1.4.0', '1.5.0', true],
    ['1.4.0', '1.6.0', false],
    ['0.9.0', '1.0.0', true],
    ['0.9.0', '1.1.0', false],
    ['1.0.0', '3.0.0', false],
  ])('%s and %s: %s, in either order', (one, other, expected) => {
    expect(worksBeside(release(one), release(other))).toBe(expected)
    expect(worksBeside(release(other), release(one))).toBe(expected)
  })
})

describe('isOlder', () => {
  it.each([
    ['1.4.9', '1.5.0', true],
    ['1.10.0', '1.9.0', false],
    ['1.4.0', '1.4.1', false],
    ['0.9.0', '1.0.0', true],
  ])('%s than %s: %s', (one, than, expected) => {
    expect(isOlder(release(one), release(than))).toBe(expected)
  })
})

describe('versionOfSession', () => {
  it.each([
    ['touchstone api node-1 4711 1.4.0', '1.4.0'],
    ['touchstone migrate', undefined],
    ['psql', undefined],
  ])('of "%s" is %s', (name, version) => expect(versionOfSession(name)).toBe(version))

  it('is no release if it is not a version', () => {
    expect(parseRelease('latest')).toBeUndefined()
  })
})
