import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import {
  type Period,
  periodBefore,
  periodOf,
  type TimeRange,
  writeTimeRange,
} from '../../range/time-range.ts'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'

export type DecisionStats = Answer<'GET', '/v1/decisions/stats'>

/** Events of single decisions fetch nothing again, because there can be hundreds a second. */
const REFETCH_MS = 30_000

export const PERIOD_QUERY = { refetchInterval: REFETCH_MS, placeholderData: keepPreviousData }

/** The id of the organisation is no part of its own, so that events leave these queries cached. */
export const periodKey = (orgId: string, range: TimeRange, name: string) => [
  'period',
  `${name} of ${orgId}`,
  writeTimeRange(range),
]

export const inPeriod = ({ interval, from, to }: Period) => ({
  interval,
  from: from.toISOString(),
  to: to.toISOString(),
})

/** Decisions by outcome in the range, and in the period before it. */
export function usePeriodStats(orgId: string, range: TimeRange) {
  const fetchStats = (period: Period) =>
    api.request('GET', '/v1/decisions/stats', { ...forOrg(orgId), query: inPeriod(period) })
  return useQuery({
    queryKey: periodKey(orgId, range, 'decisions'),
    queryFn: async () => {
      const period = periodOf(range, new Date())
      const [now, before] = await Promise.all([
        fetchStats(period),
        fetchStats(periodBefore(period)),
      ])
      return { now, before }
    },
    ...PERIOD_QUERY,
  })
}
