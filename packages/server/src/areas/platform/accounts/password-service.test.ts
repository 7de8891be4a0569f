import { hash } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { hashPassword, needsRehash, verifyPassword } from './password-service.ts'

describe('passwords', () => {
  it('are stored as argon2id with 19 MiB, two passes and one lane', async () => {
    const stored = await hashPassword('correct horse battery')
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$]{22}\$[^$]{43}$/)
    expect(stored).not.toBe(await hashPassword('correct horse battery'))
  })

  it('match only the exact password', async () => {
    const stored = await hashPassword('correct horse battery')
    expect(await verifyPassword(stored, 'correct horse battery')).toBe(true)
    expect(await verifyPassword(stored, 'correct horse batterz')).toBe(false)
  })

  it('never match when there is no account', async () => {
    expect(await verifyPassword(undefined, 'correct horse battery')).toBe(false)
  })

  it('take about as long to refuse without an account as with one', async () => {
    const stored = await hashPassword('correct horse battery')
    const time = async (of: string | undefined) => {
      const start = performance.now()
      await verifyPassword(of, 'wrong password here')
      return performance.now() - start
    }
    const times: { with: number; without: number }[] = []
    for (let i = 0; i < 8; i += 1) {
      times.push({ with: await time(stored), without: await time(undefined) })
    }
    const best = (kind: 'with' | 'without') => Math.min(...times.map((pair) => pair[kind]))
    const ratio = best('without') / best('with')
    // Wide bounds for busy machines; without the dummy hash the ratio is below a hundredth.
    expect(ratio).toBeGreaterThan(0.2)
    expect(ratio).toBeLessThan(5)
  })

  it('are rehashed only when the stored hash has lower costs', async () => {
    const weak = await hash('x', { memoryCost: 8192, timeCost: 2, parallelism: 1 })
    expect(needsRehash(weak)).toBe(true)
    expect(needsRehash(await hashPassword('x'))).toBe(false)
  })
})
