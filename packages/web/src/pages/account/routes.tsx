import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { siteRoute } from '../../layouts.tsx'

export const accountRoutes = [
  createRoute({
    getParentRoute: () => siteRoute,
    path: '/sign-in',
    component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
    validateSearch: (search: Record<string, unknown>): { next?: string } =>
      typeof search['next'] === 'string' ? { next: search['next'] } : {},
  }),
] as const
