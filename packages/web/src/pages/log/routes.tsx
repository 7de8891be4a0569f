import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'

export const logRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/public-log',
    component: lazyRouteComponent(() => import('./log-page.tsx'), 'LogPage'),
  }),
] as const
