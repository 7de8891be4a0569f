import { describe, expect, it } from 'vitest'
import { createRecorder } from './recorder.ts'

function recorder(write: (items: readonly number[]) => Promise<void>) {
  const failed: { err: unknown; items: number }[] = []
  const made = createRecorder<number>({
    write,
    onFailure: (err, items) => failed.push({ err, items }),
  })
  return { ...made, failed }
}

describe('a recorder', () => {
  it('writes what comes together in one go, in its order', async () => {
    const groups: (readonly number[])[] = []
    const { add } = recorder(async (items) => void groups.push(items))
    await Promise.all([add(1), add(2), add(3)])
    expect(groups).toEqual([[1, 2, 3]])
  })

  it('has two groups in flight at most and loses none of the others', async () => {
    let running = 0
    let most = 0
    const written: number[] = []
    const { add } = recorder(async (items) => {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      written.push(...items)
      running -= 1
    })
    await Promise.all(Array.from({ length: 1500 }, (_, n) => add(n)))
    expect(most).toBe(2)
    expect(new Set(written).size).toBe(1500)
  })

  it('lets one that cannot be written fail alone', async () => {
    const written: number[] = []
    const { add, failed } = recorder(async (items) => {
      if (items.includes(3)) throw new Error('three')
      written.push(...items)
    })
    const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map((n) => add(n)))
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect(written).toEqual([1, 2, 4, 5])
    expect(failed).toMatchObject([{ err: { message: 'three' }, items: 1 }])
  })

  it('does not try in parts what no database takes', async () => {
    let tries = 0
    const { add, failed } = recorder(async () => {
      tries += 1
      throw new Error('connect ECONNREFUSED')
    })
    await Promise.allSettled([add(1), add(2)])
    expect(tries).toBe(1)
    expect(failed).toMatchObject([{ items: 2 }])
  })

  it('refuses what comes while too much is waiting', async () => {
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { add, failed } = recorder(() => held)
    const added = Array.from({ length: 11_500 }, (_, n) => add(n))
    await expect(add(0)).rejects.toThrow('waiting')
    expect(failed).not.toHaveLength(0)
    release()
    const outcomes = await Promise.allSettled(added)
    // Two groups of 500 are no longer waiting but being written.
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(11_000)
  })

  it('tells whoever asks, before or after, how often they may ask', async () => {
    const { put, close } = recorder(async (items) => {
      if (items.includes(2)) throw new Error('two')
    })
    const [first, second] = [put(1, { soon: false }), put(2, { soon: false })]
    const early = Promise.allSettled([first(), first(), second(), second()])
    await close()
    const late = await Promise.allSettled([first(), first(), second(), second()])
    const reason = new Error('two')
    expect(late).toEqual([
      { status: 'fulfilled' },
      { status: 'fulfilled' },
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ])
    expect(await early).toEqual(late)
  })

  it('bears that nobody hears of a failure', async () => {
    const { put, close, failed } = recorder(() => Promise.reject(new Error('no')))
    put(1, { soon: true })
    await close()
    await new Promise(setImmediate)
    expect(failed).toMatchObject([{ items: 1 }])
  })

  it('writes what is waiting before it closes', async () => {
    const written: number[] = []
    const { add, close } = recorder(async (items) => void written.push(...items))
    const added = Array.from({ length: 900 }, (_, n) => add(n))
    await close()
    expect(written).toHaveLength(900)
    await Promise.all(added)
  })
})
