import type { Clock } from '../../packages/server/src/kernel/clock.ts'

export type TestClock = Clock & { advance(ms: number): void; set(time: string): void }

/** A clock that only moves when a test moves it. */
export function testClock(start = '2026-03-01T12:00:00.000Z'): TestClock {
  let now = new Date(start).getTime()
  return {
    now: () => new Date(now),
    nowMs: () => now,
    advance: (ms) => {
      now += ms
    },
    set: (time) => {
      now = new Date(time).getTime()
    },
  }
}
