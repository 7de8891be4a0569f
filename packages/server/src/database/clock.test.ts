import { describe, expect, it } from 'vitest'
import { createDatabaseClock, describeSkew } from './clock.ts'

const NOON = Date.UTC(2026, 0, 1, 12)

/** A machine whose clock is ahead, and the database, which has the right time. */
function world({ aheadMs = 0 } = {}) {
  let elapsedMs = 0
  const machine = {
    aheadMs,
    wallMs: () => NOON + elapsedMs + machine.aheadMs,
    steadyMs: () => 5000 + elapsedMs,
  }
  const clock = createDatabaseClock(machine)
  return {
    machine,
    clock,
    pass(ms: number) {
      elapsedMs += ms
    },
    ask(roundTripMs = 2) {
      const sentMs = machine.steadyMs()
      elapsedMs += roundTripMs / 2
      const databaseMs = NOON + elapsedMs
      elapsedMs += roundTripMs / 2
      clock.observe({ sentMs, databaseMs, receivedMs: machine.steadyMs() })
    },
  }
}

describe('the clock of the database', () => {
  it('is that of the machine until the database was asked', () => {
    const { clock, pass } = world({ aheadMs: 600_000 })
    pass(1000)
    expect(clock.nowMs()).toBe(NOON + 601_000)
  })

  it.each([600_000, -600_000])('corrects a machine that is %i ms off', (aheadMs) => {
    const { clock, ask, pass } = world({ aheadMs })
    ask()
    pass(998)
    expect(clock.now()).toEqual(new Date(NOON + 1000))
    expect(clock.skewMs()).toBe(aheadMs)
  })

  it('goes on when the clock of the machine is set', () => {
    const { clock, ask, machine } = world()
    ask()
    machine.aheadMs = 3_600_000
    expect(clock.nowMs()).toBe(NOON + 2)
    ask()
    expect(clock.nowMs()).toBe(NOON + 4)
    expect(clock.skewMs()).toBe(3_600_000)
  })

  it('takes no notice of small differences and of late answers', () => {
    const { clock, ask } = world({ aheadMs: 90 })
    ask()
    expect(clock.nowMs()).toBe(NOON + 92)
    const late = world({ aheadMs: 10_000 })
    late.ask(600)
    expect(late.clock.nowMs()).toBe(NOON + 10_600)
  })

  it.each([
    [1999, undefined],
    [-2001, 'degraded'],
    [30_001, 'unavailable'],
  ])('%i ms off is %s', (skewMs, status) => {
    expect(describeSkew(skewMs)?.status).toBe(status)
  })
})
