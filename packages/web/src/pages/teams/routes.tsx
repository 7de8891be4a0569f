import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'

const console = () => consoleRoute

export const teamRoutes = [
  createRoute({
    getParentRoute: console,
    path: '/teams',
    component: lazyRouteComponent(() => import('./teams-page.tsx'), 'TeamsPage'),
  }),
  createRoute({
    getParentRoute: console,
    path: '/teams/$teamId',
    component: lazyRouteComponent(() => import('./team-page.tsx'), 'TeamPage'),
  }),
] as const
