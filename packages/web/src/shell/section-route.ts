import { createRoute, notFound, redirect } from '@tanstack/react-router'
import { rootRoute } from '../layouts.tsx'
import { api } from '../session/session.ts'
import { findSession } from '../session/use-session.ts'
import { isSectionPath } from './navigation.ts'

/** A section without an organisation, as documents name it, opens in the first one of the account. */
export const sectionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$',
  beforeLoad: async ({ location }) => {
    if (!isSectionPath(location.pathname)) throw notFound()
    if ((await findSession()) === undefined) {
      throw redirect({ to: '/sign-in', search: { next: location.href } })
    }
    const { orgs } = await api.request('GET', '/v1/auth/me')
    const [org] = orgs
    if (org === undefined) throw redirect({ to: '/o/new', replace: true })
    throw redirect({ href: `/o/${org.org_id}${location.href}`, replace: true })
  },
})
