import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'

const console = () => consoleRoute

export const agentRoutes = [
  createRoute({
    getParentRoute: console,
    path: '/',
    component: lazyRouteComponent(() => import('./agents-page.tsx'), 'AgentsPage'),
  }),
  createRoute({
    getParentRoute: console,
    path: '/agents',
    component: lazyRouteComponent(() => import('./agents-page.tsx'), 'AgentsPage'),
  }),
] as const
