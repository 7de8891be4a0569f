import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'

export const approvalRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/escalations',
    component: lazyRouteComponent(() => import('./approvals-page.tsx'), 'ApprovalsPage'),
  }),
] as const
