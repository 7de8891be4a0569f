import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'

const console = () => consoleRoute

export const connectRoutes = [
  createRoute({
    getParentRoute: console,
    path: '/connect',
    component: lazyRouteComponent(() => import('./connect-page.tsx'), 'ConnectPage'),
  }),
  createRoute({
    getParentRoute: console,
    path: '/connect/$guide',
    component: lazyRouteComponent(() => import('./guide-page.tsx'), 'GuidePage'),
  }),
] as const
