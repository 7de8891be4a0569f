import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'

export type Plans = {
  /** How many days of history the organisation's plan shows; null for no limit. */
  historyDays(orgId: string): Promise<number | null>
}

/** Decisions older than the plan's history are kept and hidden (spec: decisions §2). */
export function createHistory(plans: Plans, clock: Clock) {
  return {
    /** The earliest visible time; undefined for no limit. */
    async since(orgId: string): Promise<Date | undefined> {
      const days = await plans.historyDays(orgId)
      return days === null ? undefined : later(clock.now(), -days * DAY_MS)
    },
  }
}
