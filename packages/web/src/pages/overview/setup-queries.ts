import { useQuery } from '@tanstack/react-query'
import { api } from '../../session/session.ts'
import { setupSteps } from './setup-steps.ts'

/** While the whole checklist is shown, and while only its next step is. */
const REFETCH_MS = { list: 5_000, line: 60_000 }

type Asked = {
  /** Owners and admins only, as others can do none of the steps. */
  isAsked: boolean
  isShown: boolean
}

/**
 * The steps of the checklist. Fetched again while it is shown, because a step may be done in another tab or
 * by another person.
 */
export function useSetup(orgId: string, { isAsked, isShown }: Asked) {
  const refetchMs = isShown ? REFETCH_MS.list : REFETCH_MS.line
  return useQuery({
    queryKey: ['overview', `setup of ${orgId}`],
    queryFn: async () =>
      setupSteps(
        await api.request('GET', '/v1/orgs/{org_id}/setup', { params: { org_id: orgId } }),
      ),
    enabled: isAsked,
    refetchInterval: ({ state }) =>
      state.data?.every(({ isDone }) => isDone) === true ? false : refetchMs,
  })
}
