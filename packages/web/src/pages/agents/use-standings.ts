import { useQuery } from '@tanstack/react-query'
import type { Answer, Query } from '@touchstone/sdk'
import { periodOf, type TimeRange } from '../../range/time-range.ts'
import { api } from '../../session/session.ts'
import { inPeriod, PERIOD_QUERY, periodKey } from '../decisions/period-stats.ts'

export type StandingPage = Answer<'GET', '/v1/orgs/{org_id}/agent-standings'>
export type AgentStanding = StandingPage['agents'][number]

type StandingQuery = Omit<
  Query<'GET', '/v1/orgs/{org_id}/agent-standings'>,
  'from' | 'to' | 'interval' | 'limit' | 'offset'
>

/** Agents with their scores, and the blocked calls and violations of the range. */
export function useStandings(orgId: string, range: TimeRange, query: StandingQuery) {
  return useQuery({
    queryKey: [...periodKey(orgId, range, 'standings'), orgId, query],
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/agent-standings', {
        params: { org_id: orgId },
        query: { ...inPeriod(periodOf(range, new Date())), ...query },
      }),
    ...PERIOD_QUERY,
  })
}
