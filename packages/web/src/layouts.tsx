import { createRootRoute, createRoute, redirect, retainSearchParams } from '@tanstack/react-router'
import { readTimeRange, writeTimeRange } from './range/time-range.ts'
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

type ConsoleSearch = { range?: string | undefined }

/** The time range is kept in the address of every page, so that the reader chooses it once. */
function readConsoleSearch(search: Record<string, unknown>): ConsoleSearch {
  const range = readTimeRange(search['range'])
  return { range: range === undefined ? undefined : writeTimeRange(range) }
}

/** The console of one organisation, for signed-in members. */
export const consoleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/o/$orgId',
  component: ConsoleShell,
  validateSearch: readConsoleSearch,
  search: { middlewares: [retainSearchParams(['range'])] },
  beforeLoad: async ({ location }) => {
    if ((await findSession()) === undefined) {
      throw redirect({ to: '/sign-in', search: { next: location.href } })
    }
  },
})
