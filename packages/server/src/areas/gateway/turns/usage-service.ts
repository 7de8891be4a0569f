import { type Clock, DAY_MS, HOUR_MS, later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createUsageStore, type Usage, type UsageDay } from './usage-store.ts'

const RANGE_DAYS_MAX = 400
const RANGE_DAYS_DEFAULT = 30
const KEPT_MS = 400 * DAY_MS

type Agent = { orgId: string; agentId: string }

export type UsageService = ReturnType<typeof createUsage>

/** Turns and tokens of agents (spec: model-gateway §3.5). */
export function createUsage({ db, clock }: { db: Db; clock: Clock }) {
  const store = createUsageStore(db)
  return {
    add: (agent: Agent, usage: Usage): Promise<void> =>
      store.add(agent, startOfHour(clock.now()), usage),

    /** By whole days of UTC; `to` is the last one. */
    async days(
      agent: Agent,
      range: { from: Date | undefined; to: Date | undefined },
    ): Promise<UsageDay[]> {
      const last = startOfDay(range.to ?? clock.now())
      const first = startOfDay(range.from ?? later(last, -(RANGE_DAYS_DEFAULT - 1) * DAY_MS))
      const days = (last.getTime() - first.getTime()) / DAY_MS + 1
      if (days < 1 || days > RANGE_DAYS_MAX) {
        const message = `must be before to, by at most ${RANGE_DAYS_MAX} days`
        throw new Problem('invalid_request', `from: ${message}`, {
          details: [{ path: '/from', code: 'range', message }],
        })
      }
      return store.days(agent, first, later(last, DAY_MS))
    },

    since: store.since,

    purge: (now: Date): Promise<number> => store.deleteBefore(later(now, -KEPT_MS)),
    eraseOfAgent: (tx: Db, agentId: AgentId) => createUsageStore(tx).deleteOfAgent(agentId),
    erase: (tx: Db, orgId: OrgId) => createUsageStore(tx).deleteOfOrg(orgId),
  }
}

function startOfHour(at: Date): Date {
  return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS)
}

function startOfDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS)
}
