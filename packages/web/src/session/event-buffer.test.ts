import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createEventBuffer, type LiveEvent } from './event-buffer.ts'

const event = (number: number) => ({
  id: `evt-${number}`,
  type: 'gateway.decision',
  data: { time: '2026-11-18T12:00:00.000Z', number },
})

const shown: (readonly LiveEvent[])[] = []
const numbers = () => shown.at(-1)?.map(({ data }) => data['number'])

beforeEach(() => {
  vi.useFakeTimers()
  shown.length = 0
})
afterEach(() => vi.useRealTimers())

describe('the buffer of live events', () => {
  it('shows the first event immediately, and 200 a second at most four times a second', () => {
    const buffer = createEventBuffer((events) => shown.push(events))
    buffer.add(event(0))
    expect(numbers()).toEqual([0])
    for (let number = 1; number <= 400; number += 1) {
      buffer.add(event(number))
      vi.advanceTimersByTime(5)
    }
    expect(shown.length).toBeLessThanOrEqual(9)
    vi.advanceTimersByTime(250)
    expect(numbers()).toHaveLength(60)
    expect(numbers()?.[0]).toBe(400)
  })

  it('shows the first event after a pause immediately, and nothing while nothing is new', () => {
    const buffer = createEventBuffer((events) => shown.push(events))
    buffer.add(event(0))
    vi.advanceTimersByTime(60_000)
    expect(shown).toHaveLength(1)
    buffer.add(event(1))
    expect(numbers()).toEqual([1, 0])
  })

  it('leaves out an event that was received before', () => {
    const buffer = createEventBuffer((events) => shown.push(events))
    expect(buffer.add(event(0))).toBe(true)
    expect(buffer.add(event(0))).toBe(false)
    vi.advanceTimersByTime(250)
    expect(shown).toHaveLength(1)
  })

  it('shows nothing once it is stopped', () => {
    const buffer = createEventBuffer((events) => shown.push(events))
    buffer.add(event(0))
    buffer.add(event(1))
    buffer.stop()
    vi.advanceTimersByTime(60_000)
    expect(shown).toHaveLength(1)
  })
})
