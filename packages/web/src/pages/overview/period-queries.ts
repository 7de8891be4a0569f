import { useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import {
  boundsOf,
  type Interval,
  type Period,
  periodBefore,
  periodOf,
  type TimeRange,
} from '../../range/time-range.ts'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { inPeriod, PERIOD_QUERY, periodKey } from '../decisions/period-stats.ts'

export type OrgUsage = Answer<'GET', '/v1/orgs/{org_id}/model-usage'>

/** Turns and tokens of connections in the range, and in the period before it. */
export function usePeriodUsage(orgId: string, range: TimeRange) {
  const fetchUsage = async (period: Period) => {
    const { from, to } = period
    const { buckets } = await api.request('GET', '/v1/orgs/{org_id}/model-usage', {
      params: { org_id: orgId },
      query: {
        interval: usageInterval(period.interval),
        from: from.toISOString(),
        // The service includes the hour or day of the end.
        to: new Date(to.getTime() - 1).toISOString(),
      },
    })
    return buckets
  }
  return useQuery({
    queryKey: periodKey(orgId, range, 'usage'),
    queryFn: async () => {
      const period = periodOf(range, new Date())
      const [now, before] = await Promise.all([
        fetchUsage(period),
        fetchUsage(periodBefore(period)),
      ])
      return { period: { ...period, interval: usageInterval(period.interval) }, now, before }
    },
    ...PERIOD_QUERY,
  })
}

/** Turns are counted by the hour at the finest. */
function usageInterval(interval: Interval): 'hour' | 'day' {
  return interval === 'day' ? 'day' : 'hour'
}

/** More would be several pages of the log, so the ranking says when there are more. */
export const BLOCKED_MAX = 200

/** The blocked calls by tool, counted; and the newest of them, for the rules that blocked them. */
export function useBlocked(orgId: string, range: TimeRange) {
  return useQuery({
    queryKey: periodKey(orgId, range, 'blocked'),
    queryFn: async () => {
      const now = new Date()
      const { from, to } = boundsOf(range, now)
      const [stats, newest] = await Promise.all([
        api.request('GET', '/v1/decisions/stats', {
          ...forOrg(orgId),
          query: { ...inPeriod(periodOf(range, now)), group_by: 'tool', decision: ['block'] },
        }),
        api.request('GET', '/v1/decisions', {
          ...forOrg(orgId),
          query: {
            decision: ['block'],
            from: from.toISOString(),
            to: to.toISOString(),
            limit: BLOCKED_MAX,
          },
        }),
      ])
      return { tools: stats.totals, ...newest }
    },
    ...PERIOD_QUERY,
  })
}
