import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'

export const chainRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/on-chain',
    component: lazyRouteComponent(() => import('./chain-page.tsx'), 'ChainPage'),
  }),
] as const
