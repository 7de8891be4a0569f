import { createRootRoute, createRoute, redirect } from '@tanstack/react-router'
import { findSession } from './session/use-session.ts'
import { ConsoleShell } from './shell/console-shell.tsx'
import { NotFound, RouteError } from './shell/error-pages.tsx'
import { SiteShell } from './shell/site-shell.tsx'

export const rootRoute = createRootRoute({
  notFoundComponent: NotFound,
  errorComponent: RouteError,
})

/** Public pages and the sign-in pages. */
export const siteRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'site',
  component: SiteShell,
})

/** The console of one organisation, for signed-in members. */
export const consoleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/o/$orgId',
  component: ConsoleShell,
  beforeLoad: async ({ location }) => {
    if ((await findSession()) === undefined) {
      throw redirect({ to: '/sign-in', search: { next: location.href } })
    }
  },
})
