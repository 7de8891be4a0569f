import { describe, expect, it } from 'vitest'
import { type Member, zipOf } from './zip-service.ts'

async function bytesOf(members: readonly Member[]): Promise<number> {
  let bytes = 0
  for await (const piece of zipOf(members, { at: new Date(), written: [] })) bytes += piece.length
  return bytes
}

describe('an archive', () => {
  it('fails if a member does, also after others were written', async () => {
    const whole = { name: 'whole.txt', texts: () => ['text'] }
    const failing = {
      name: 'failing.txt',
      async *texts() {
        yield 'the beginning'
        throw new RangeError('leaf 6 does not exist')
      },
    }
    await expect(bytesOf([whole, failing])).rejects.toThrow('leaf 6 does not exist')
    expect(await bytesOf([whole])).toBeGreaterThan(0)
  })
})
