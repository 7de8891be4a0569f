import { traitsOf } from '@touchstone/protocol/evidence'
import { afterAll, describe, expect, it } from 'vitest'
import { createReader } from '../../../workers/server-workers.ts'
import { createTraitsService, type ReadTraits } from './traits-service.ts'

const SHORT = 'The customer asks for a parcel that is late. '
const LONG = SHORT.repeat(300)
const reader = createReader()
afterAll(() => reader.close())

function counted(readOnWorker: ReadTraits = async (texts) => texts.map(traitsOf)) {
  const batches: number[] = []
  const read = createTraitsService((texts) => {
    batches.push(texts.length)
    return readOnWorker(texts)
  })
  return { batches, read }
}

describe('the traits of texts', () => {
  it('are those of the definition, in the order of the texts, on a worker thread', async () => {
    const { read, batches } = counted((texts) =>
      reader.run('readTraits', texts, { timeoutMs: 60_000 }),
    )
    const texts = Array.from({ length: 160 }, (_, i) => `${i} ${SHORT.repeat((i % 7) + 1)}`)
    expect(await Promise.all(texts.map(read))).toEqual(texts.map(traitsOf))
    expect(batches).toEqual([64, 64, 32])
  })

  it('are computed without the worker for a single short text, and empty without a text', async () => {
    const { read, batches } = counted()
    expect(await read(SHORT)).toEqual(traitsOf(SHORT))
    expect(await read(undefined)).toEqual({ simHash: undefined, isWordSalad: false })
    expect(batches).toEqual([])
  })

  it('are read on the worker for one long text', async () => {
    const { read, batches } = counted()
    expect(await read(LONG)).toEqual(traitsOf(LONG))
    expect(batches).toEqual([1])
  })

  it('are the same if the worker rejects the batch, without blocking the event loop', async () => {
    const { read } = counted(() => Promise.reject(new Error('busy')))
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 1)
    const long = Array.from({ length: 60_000 }, (_, i) => `word${i}`).join(' ')
    expect(await Promise.all([LONG, SHORT, long].map(read))).toEqual(
      [LONG, SHORT, long].map(traitsOf),
    )
    clearInterval(timer)
    expect(turns).toBeGreaterThan(2)
  })
})
