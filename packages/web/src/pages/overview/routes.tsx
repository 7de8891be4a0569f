import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'

export const overviewRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
  }),
] as const
