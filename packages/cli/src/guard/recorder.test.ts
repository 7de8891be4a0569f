import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRecorder } from './recorder.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function world(send: (batch: readonly number[]) => Promise<void>) {
  const sent: number[][] = []
  const notes: string[] = []
  const recorder = createRecorder<number>({
    send: async (batch) => {
      await send(batch)
      sent.push([...batch])
    },
    note: (line) => void notes.push(line),
  })
  return { recorder, sent, notes }
}

const works = async () => {}

describe('a recorder', () => {
  it('sends what came together, after a while or once there are fifty', async () => {
    const { recorder, sent } = world(works)
    recorder.add(1)
    recorder.add(2)
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(1000)
    expect(sent).toEqual([[1, 2]])
    for (let n = 0; n < 50; n += 1) recorder.add(n)
    await vi.advanceTimersByTimeAsync(0)
    expect(sent[1]).toHaveLength(50)
  })

  it('sends the rest at its end', async () => {
    const { recorder, sent } = world(works)
    for (let n = 0; n < 70; n += 1) recorder.add(n)
    await recorder.end(1000)
    expect(sent.flat()).toEqual(Array.from({ length: 70 }, (_, n) => n))
  })

  it('keeps what could not be sent and tries again', async () => {
    let isDown = true
    const { recorder, sent, notes } = world(async () => {
      if (isDown) throw new Error('down')
    })
    recorder.add(1)
    await vi.advanceTimersByTimeAsync(1000)
    expect([sent, notes]).toEqual([[], ['1 records wait, as they could not be sent: down']])
    isDown = false
    await vi.advanceTimersByTimeAsync(1000)
    expect(sent).toEqual([[1]])
  })

  it('drops what is too much, says so, and never waits for ever at its end', async () => {
    const { recorder, sent, notes } = world(() => new Promise(() => {}))
    for (let n = 0; n < 1100; n += 1) recorder.add(n)
    const ending = recorder.end(5000)
    await vi.advanceTimersByTimeAsync(5000)
    await ending
    expect(sent).toEqual([])
    expect(notes).toEqual([
      'more than 1000 records wait; further ones are dropped',
      '1100 records were not sent',
    ])
  })
})
