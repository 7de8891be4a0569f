import { createBatcher } from '../../../kernel/batcher.ts'
import { type Clock, DAY_MS, HOUR_MS, later } from '../../../kernel/clock.ts'
import { type Db, isDatabaseDown } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import { invalidField } from '../../../kernel/problem.ts'
import type { Agents } from './ports.ts'
import { sumUsage, type Usage, type UsageOfHour } from './usage.ts'
import { createUsageStore, type UsageBucket, type UsageDay } from './usage-store.ts'

const RANGE_DAYS_MAX = 400
const RANGE_DAYS_DEFAULT = 30
const RANGE_HOURS_MAX = 24 * 90
const RANGE_HOURS_DEFAULT = 24
const BATCH_MAX = 1000
const KEPT_MS = 400 * DAY_MS

type Agent = { orgId: string; agentId: string }
type Existing = Pick<Agents, 'selectExisting'>

export type UsageService = ReturnType<typeof createUsage>

/** Turns and tokens of agents (spec: model-gateway §3.5). */
export function createUsage({ db, clock, agents }: { db: Db; clock: Clock; agents: Existing }) {
  const store = createUsageStore(db)
  /** All turns of an agent add to the same row, so many at a time would wait for each other's locks. */
  const additions = createBatcher<UsageOfHour, undefined>({
    async run(turns) {
      await store.addAll(sumUsage(turns), agents.selectExisting)
      return turns.map(() => undefined)
    },
    itemsMax: BATCH_MAX,
    ageMsMax: 0,
    failTogether: isDatabaseDown,
  })
  return {
    async add(agent: Agent, usage: Usage): Promise<void> {
      await additions.add({ ...agent, ...usage, hour: startOfHour(clock.now()) })
    },

    stop: additions.stop,

    /** By whole days of UTC; `to` is the last one. */
    async days(
      agent: Agent,
      range: { from: Date | undefined; to: Date | undefined },
    ): Promise<UsageDay[]> {
      const { first, end } = wholeDays(range, clock.now())
      return store.days(agent, first, end)
    },

    /** Usage of all agents of an organisation, by whole hours or days of UTC; `to` is in the last one. */
    async buckets(
      orgId: string,
      interval: 'hour' | 'day',
      range: { from: Date | undefined; to: Date | undefined },
    ): Promise<UsageBucket[]> {
      const now = clock.now()
      if (interval === 'day') {
        const { first, end } = wholeDays(range, now)
        return store.buckets(orgId, { interval, from: first, to: end })
      }
      const last = startOfHour(range.to ?? now)
      const first = startOfHour(range.from ?? later(last, -(RANGE_HOURS_DEFAULT - 1) * HOUR_MS))
      checkRange((last.getTime() - first.getTime()) / HOUR_MS + 1, RANGE_HOURS_MAX, 'hours')
      return store.buckets(orgId, { interval, from: first, to: later(last, HOUR_MS) })
    },

    since: store.since,

    purge: (now: Date): Promise<number> => store.deleteBefore(later(now, -KEPT_MS)),
    eraseOfAgent: (tx: Db, agentId: AgentId) => createUsageStore(tx).deleteOfAgent(agentId),
    erase: (tx: Db, orgId: OrgId) => createUsageStore(tx).deleteOfOrg(orgId),
  }
}

function wholeDays(range: { from: Date | undefined; to: Date | undefined }, now: Date) {
  const last = startOfDay(range.to ?? now)
  const first = startOfDay(range.from ?? later(last, -(RANGE_DAYS_DEFAULT - 1) * DAY_MS))
  checkRange((last.getTime() - first.getTime()) / DAY_MS + 1, RANGE_DAYS_MAX, 'days')
  return { first, end: later(last, DAY_MS) }
}

function checkRange(length: number, max: number, unit: 'hours' | 'days'): void {
  if (length < 1 || length > max)
    throw invalidField('from', `must be before to, by at most ${max} ${unit}`)
}

function startOfHour(at: Date): Date {
  return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS)
}

function startOfDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS)
}
