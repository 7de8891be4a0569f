import { createBatcher } from '../../../kernel/batcher.ts'
import { type Clock, DAY_MS, HOUR_MS, later } from '../../../kernel/clock.ts'
import { type Db, isDatabaseDown } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import { invalidField } from '../../../kernel/problem.ts'
import type { Agents } from './ports.ts'
import { sumUsage, type Usage, type UsageOfHour } from './usage.ts'
import { createUsageStore, type UsageBucket, type UsageDay } from './usage-store.ts'

/** How many intervals a query may cover, and how many it covers by default. */
const INTERVALS = {
  hour: { ms: HOUR_MS, max: 24 * 90, byDefault: 24 },
  day: { ms: DAY_MS, max: 400, byDefault: 30 },
}
const BATCH_MAX = 1000
/** How long a count waits for others, unless a budget waits for it. */
const BATCH_AGE_MS = 100
const KEPT_MS = 400 * DAY_MS

type Interval = keyof typeof INTERVALS
type Range = { from: Date | undefined; to: Date | undefined }
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
    async add(agent: Agent, usage: Usage, { isAwaited }: { isAwaited: boolean }): Promise<void> {
      const item = { ...agent, ...usage, hour: startOf(HOUR_MS, clock.now()) }
      await additions.add(item, { ageMsMax: isAwaited ? 0 : BATCH_AGE_MS })
    },

    stop: additions.stop,

    /** By whole days of UTC; `to` is the last one. */
    async days(agent: Agent, range: Range): Promise<UsageDay[]> {
      const { first, end } = wholeIntervals('day', range, clock.now())
      return store.days(agent, first, end)
    },

    /** Usage of all agents of an organisation, by whole hours or days of UTC; `to` is in the last one. */
    async buckets(orgId: string, interval: Interval, range: Range): Promise<UsageBucket[]> {
      const { first, end } = wholeIntervals(interval, range, clock.now())
      return store.buckets(orgId, { interval, from: first, to: end })
    },

    since: store.since,

    purge: (now: Date): Promise<number> => store.deleteBefore(later(now, -KEPT_MS)),
    eraseOfAgent: (tx: Db, agentId: AgentId) => createUsageStore(tx).deleteOfAgent(agentId),
    erase: (tx: Db, orgId: OrgId) => createUsageStore(tx).deleteOfOrg(orgId),
  }
}

/** From the start of the first interval to the end of the last one. */
function wholeIntervals(interval: Interval, range: Range, now: Date): { first: Date; end: Date } {
  const { ms, max, byDefault } = INTERVALS[interval]
  const last = startOf(ms, range.to ?? now)
  const first = startOf(ms, range.from ?? later(last, -(byDefault - 1) * ms))
  const length = (last.getTime() - first.getTime()) / ms + 1
  if (length < 1 || length > max) {
    throw invalidField('from', `must be before to, by at most ${max} ${interval}s`)
  }
  return { first, end: later(last, ms) }
}

function startOf(intervalMs: number, at: Date): Date {
  return new Date(Math.floor(at.getTime() / intervalMs) * intervalMs)
}
