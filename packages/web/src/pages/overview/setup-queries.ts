import { useQuery } from '@tanstack/react-query'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { type SetupState, setupSteps } from './setup-steps.ts'

const REFETCH_MS = 5_000

/**
 * The steps of the checklist. Fetched again while it is shown, because a step may be done in another tab or
 * by another person. For owners and admins only, as others do not see all of it.
 */
export function useSetup(orgId: string, isAsked: boolean) {
  return useQuery({
    queryKey: ['overview', `setup of ${orgId}`],
    queryFn: async () => setupSteps(await fetchSetup(orgId)),
    enabled: isAsked,
    refetchInterval: ({ state }) =>
      state.data?.every(({ isDone }) => isDone) === true ? false : REFETCH_MS,
  })
}

async function fetchSetup(orgId: string): Promise<SetupState> {
  const inPath = { params: { org_id: orgId } }
  const one = { per_page: 1 } as const
  const [agents, { decisions }, policies, { members }, invitations, { webhooks }] =
    await Promise.all([
      api.request('GET', '/v1/orgs/{org_id}/agents', { ...inPath, query: one }),
      api.request('GET', '/v1/decisions', { ...forOrg(orgId), query: { limit: 1 } }),
      // A policy that does not exist is a 404, which browsers log as an error of the page.
      api.request('GET', '/v1/orgs/{org_id}/audit-log', {
        ...inPath,
        query: { ...one, action: 'policy.updated' },
      }),
      api.request('GET', '/v1/orgs/{org_id}/members', inPath),
      api.request('GET', '/v1/orgs/{org_id}/invitations', {
        ...inPath,
        query: { ...one, status: 'pending' },
      }),
      api.request('GET', '/v1/orgs/{org_id}/webhooks', inPath),
    ])
  return {
    agents: agents.total,
    decisions: decisions.length,
    policies: policies.total,
    people: members.length + invitations.total,
    webhooks: webhooks.length,
  }
}
