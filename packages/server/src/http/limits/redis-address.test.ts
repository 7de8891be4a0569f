import { describe, expect, it } from 'vitest'
import { parseRedisAddress } from './redis-address.ts'

describe('the address of Redis', () => {
  it.each([
    ['redis://localhost:6380/1', { kind: 'single', url: 'redis://localhost:6380/1' }],
    [
      'redis+sentinel://:p%40ss@s1,s2:7000/main/2',
      {
        kind: 'sentinel',
        isTls: false,
        nodes: [
          { host: 's1', port: 26_379 },
          { host: 's2', port: 7000 },
        ],
        login: { password: 'p@ss' },
        service: 'main',
        db: 2,
      },
    ],
    [
      'rediss+cluster://user:pass@c1:7000,[::1]:7001',
      {
        kind: 'cluster',
        isTls: true,
        nodes: [
          { host: 'c1', port: 7000 },
          { host: '::1', port: 7001 },
        ],
        login: { username: 'user', password: 'pass' },
      },
    ],
  ])('%s', (url, expected) => {
    expect(parseRedisAddress(url)).toEqual(expected)
  })

  it.each([
    'http://localhost',
    'redis+sentinel://s1,s2',
    'redis+sentinel://s1,,s2/main',
    'redis+cluster://c1:70000',
    'redis+cluster://c1/0',
    'redis+other://secret@c1',
  ])('is refused: %s', (url) => {
    expect(() => parseRedisAddress(url)).toThrow('must be redis://')
    expect(() => parseRedisAddress(url)).not.toThrow('secret')
  })
})
