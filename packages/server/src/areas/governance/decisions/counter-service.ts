import { type Clock, DAY_MS, HOUR_MS, later } from '../../../kernel/clock.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import type { Schedule } from '../../../kernel/lifecycle.ts'
import {
  countRows,
  durationRows,
  INTERVALS,
  type Interval,
  limitTools,
  startOf,
} from './counter.ts'
import { createCounterStore } from './counter-store.ts'
import { outcomeDays } from './outcome-day.ts'
import { createOutcomeDayStore, type OutcomeCounts } from './outcome-day-store.ts'

export type CounterDeps = { db: Db; clock: Clock; retentionDays: number }

/** Bounds one transaction. */
const DELTAS_MAX = 5000
const ORGS_MAX = 100

const EVERY_MINUTE = '* * * * *'

/** How long counts of a minute and of an hour are kept (spec: decisions §2). */
export const MINUTES_KEPT_MS = 48 * HOUR_MS
export const HOURS_KEPT_MS = 90 * DAY_MS

/**
 * Adds deltas to the counts of their minute, hour and day. A count is complete at every resolution from
 * the start, because readers include deltas; later the fine resolutions are deleted.
 */
export function createCounters({ db, retentionDays }: CounterDeps) {
  const keptMs: Record<Interval, number> = {
    minute: MINUTES_KEPT_MS,
    hour: HOURS_KEPT_MS,
    day: retentionDays * DAY_MS,
  }

  /** Returns the number of folded deltas. */
  const foldSome = (): Promise<number> =>
    transact(db, async (tx) => {
      const store = createCounterStore(tx)
      if (!(await store.tryLock())) return 0
      const taken = await store.takeDeltas(DELTAS_MAX)
      if (taken.length === 0) return 0
      const deltas = limitTools(taken, await store.toolsOf(taken))
      await store.add(countRows(deltas), durationRows(deltas))
      const allowed = deltas.map(({ minute, durations, ...delta }) => {
        return { ...delta, at: minute, count: durations.length }
      })
      await createOutcomeDayStore(tx).addAllowed(outcomeDays(allowed))
      return taken.length
    })

  const fold = async (): Promise<void> => {
    while ((await foldSome()) === DELTAS_MAX);
  }

  const purgeOrg = async (orgId: string, now: Date): Promise<number> => {
    let total = 0
    for (const interval of INTERVALS) {
      // Whole days, so that a reader of the last 48 hours does not race with a purge.
      const before = startOf('day', later(now, -keptMs[interval]))
      total += await purgeInPages((rowsMax) =>
        createCounterStore(db).deleteBefore({ orgId, interval, before }, rowsMax),
      )
    }
    return total
  }

  const schedules: Schedule[] = [{ name: 'decision counters', cron: EVERY_MINUTE, run: fold }]
  return {
    fold,

    schedules,

    /** The decisions that allowed calls of these agents since a UTC day, and the known outcomes. */
    outcomesSince: (
      read: Db,
      agentIds: readonly string[],
      firstDay: number,
    ): Promise<Map<string, OutcomeCounts>> =>
      createOutcomeDayStore(read).countsSince(agentIds, firstDay),

    async purge(now: Date): Promise<number> {
      const store = createCounterStore(db)
      let total = 0
      let orgs = await store.orgsAfter('', ORGS_MAX)
      while (orgs.length > 0) {
        for (const orgId of orgs) total += await purgeOrg(orgId, now)
        orgs = await store.orgsAfter(orgs.at(-1) ?? '', ORGS_MAX)
      }
      return total
    },

    async eraseAgent(tx: Db, agentId: AgentId): Promise<void> {
      const store = createCounterStore(tx)
      await store.lock()
      await store.deleteOfAgent(agentId)
      await createOutcomeDayStore(tx).deleteOfAgent(agentId)
    },

    async eraseOrg(tx: Db, orgId: OrgId): Promise<void> {
      const store = createCounterStore(tx)
      await store.lock()
      await store.deleteOfOrg(orgId)
    },
  }
}
