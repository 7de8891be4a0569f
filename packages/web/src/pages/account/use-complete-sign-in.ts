import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { acceptTokens, api, type Tokens } from '../../session/session.ts'
import { isSectionPath } from '../../shell/navigation.ts'

/** Accepts only paths of this site, which prevents open redirects. */
function isInternalPath(next: string | undefined): next is string {
  if (next === undefined) return false
  return /^\/(o|a|account|invitation)([/?#]|$)/.test(next) || isSectionPath(next)
}

/** Starts the session, then navigates to `next`, to the first organisation or to creating one. */
export function useCompleteSignIn(): (tokens: Tokens, next?: string) => Promise<void> {
  const navigate = useNavigate()
  const queries = useQueryClient()
  return async (tokens, next) => {
    // Somebody else may have been signed in before.
    queries.clear()
    await acceptTokens(tokens)
    if (isInternalPath(next)) return navigate({ href: next })
    const { orgs } = await api.request('GET', '/v1/auth/me')
    const org = orgs[0]
    return org === undefined
      ? navigate({ to: '/o/new' })
      : navigate({ to: '/o/$orgId', params: { orgId: org.org_id } })
  }
}
