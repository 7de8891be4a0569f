import { useQuery } from '@tanstack/react-query'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'

/** Contains no bare organisation id, so events of agents do not invalidate the settings. */
export const settingsKey = (orgId: string, ...rest: unknown[]) => [
  'settings',
  `settings of ${orgId}`,
  ...rest,
]

const inPath = (orgId: string) => ({ params: { org_id: orgId } })

export function useOrganisation(orgId: string) {
  return useQuery({
    queryKey: settingsKey(orgId, 'organisation'),
    queryFn: () => api.request('GET', '/v1/orgs/{org_id}', inPath(orgId)),
  })
}

export function useMembers(orgId: string) {
  return useQuery({
    queryKey: settingsKey(orgId, 'members'),
    queryFn: () => api.request('GET', '/v1/orgs/{org_id}/members', inPath(orgId)),
  })
}

export function useInvitations(orgId: string) {
  return useQuery({
    queryKey: settingsKey(orgId, 'invitations'),
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/invitations', {
        ...inPath(orgId),
        // The limit of pending invitations per organisation.
        query: { status: 'pending', per_page: 100 },
      }),
  })
}

export function useKeys(orgId: string) {
  return useQuery({
    queryKey: settingsKey(orgId, 'keys'),
    queryFn: () => api.request('GET', '/v1/orgs/{org_id}/api-keys', inPath(orgId)),
  })
}

export function useSso(orgId: string) {
  return useQuery({
    queryKey: settingsKey(orgId, 'sso'),
    queryFn: () => api.request('GET', '/v1/orgs/{org_id}/sso', inPath(orgId)),
  })
}

export function usePlan(orgId: string) {
  return useQuery({
    queryKey: settingsKey(orgId, 'plan'),
    queryFn: () => api.request('GET', '/v1/orgs/{org_id}/plan', inPath(orgId)),
  })
}

export function useUsage(orgId: string) {
  return useQuery({
    queryKey: settingsKey(orgId, 'usage'),
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/usage', { ...inPath(orgId), query: { days: 30 } }),
  })
}

/** A mutation that invalidates all settings of the organisation. */
export function useSettingsAction<Input, Result>(
  orgId: string,
  options: { run: (input: Input) => Promise<Result>; done: (result: Result) => string },
) {
  return useAction({
    run: options.run,
    done: options.done,
    refresh: [settingsKey(orgId), ['me']],
    pageShowsError: true,
  })
}
