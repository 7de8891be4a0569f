import { describe, expect, it } from 'vitest'
import { refusalOf } from './local-server.ts'

describe('a request over HTTP', () => {
  it.each([
    [{ host: 'localhost:8790' }, true],
    [{ host: '127.0.0.1:8790' }, true],
    [{ host: '[::1]:8790', origin: 'http://localhost:8790' }, true],
    [{ host: 'localhost:8790', origin: 'http://127.0.0.1:8790' }, true],
    [{}, false],
    [{ host: 'localhost' }, false],
    [{ host: 'localhost:80' }, false],
    [{ host: 'evil.example:8790' }, false],
    [{ host: 'localhost:8790', origin: 'https://evil.example' }, false],
    [{ host: 'localhost:8790', origin: 'http://localhost:8790.evil.example' }, false],
    [{ host: 'localhost:8790', origin: 'null' }, false],
  ])('with headers %j is accepted: %s', (headers, isAccepted) => {
    expect(refusalOf(headers, 8790) === undefined).toBe(isAccepted)
  })
})
