import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'

export const escalationRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/escalations',
    component: lazyRouteComponent(() => import('./escalations-page.tsx'), 'EscalationsPage'),
  }),
] as const
