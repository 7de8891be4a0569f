import type { Clock } from '../kernel/clock.ts'

/** The time of the database as this process knows it, so that all nodes have the same. */
export type DatabaseClock = Clock & {
  /** The database answered with its time between two moments of `performance.now()`. */
  observe(sample: TimeSample): void
  /** How far the clock of this machine is ahead of the database's; negative if it is behind. */
  skewMs(): number
}

export type TimeSample = { sentMs: number; receivedMs: number; databaseMs: number }

type Machine = { wallMs(): number; steadyMs(): number }

const MACHINE: Machine = { wallMs: () => Date.now(), steadyMs: () => performance.now() }

/** A slower answer says little about the time. */
const ROUND_TRIP_MS_MAX = 500
/** Smaller differences are those of measuring. */
const TOLERANCE_MS = 100

/**
 * Begins with the time of this machine and counts on by its steady clock, so that setting the clock of
 * the machine changes nothing. Leases, due times and signed times of different nodes can be compared.
 */
export function createDatabaseClock(machine: Machine = MACHINE): DatabaseClock {
  let offsetMs = machine.wallMs() - machine.steadyMs()
  let skewMs = 0
  const nowMs = (): number => Math.floor(machine.steadyMs() + offsetMs)
  return {
    now: () => new Date(nowMs()),
    nowMs,
    skewMs: () => skewMs,
    observe({ sentMs, receivedMs, databaseMs }) {
      if (receivedMs - sentMs > ROUND_TRIP_MS_MAX) return
      const measuredMs = databaseMs - (sentMs + receivedMs) / 2
      if (Math.abs(measuredMs - offsetMs) > TOLERANCE_MS) offsetMs = measuredMs
      skewMs = machine.wallMs() - nowMs()
    },
  }
}

const SKEW_MS_MAX = 2000
const SKEW_MS_READY = 30_000

/** Says for the operator how the clock of this machine is wrong. */
export function describeSkew(
  skewMs: number,
): { status: 'degraded' | 'unavailable'; reason: string } | undefined {
  if (Math.abs(skewMs) <= SKEW_MS_MAX) return undefined
  const direction = skewMs > 0 ? 'ahead of' : 'behind'
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  return {
    status: Math.abs(skewMs) > SKEW_MS_READY ? 'unavailable' : 'degraded',
    reason: `The clock of this machine is ${seconds} s ${direction} that of the database.`,
  }
}
