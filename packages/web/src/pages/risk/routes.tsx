import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'

const console = () => consoleRoute

export const riskRoutes = [
  createRoute({
    getParentRoute: console,
    path: '/risk',
    component: lazyRouteComponent(() => import('./risk-page.tsx'), 'RiskPage'),
    validateSearch: (search: Record<string, unknown>): { team?: string } =>
      typeof search['team'] === 'string' ? { team: search['team'] } : {},
  }),
  createRoute({
    getParentRoute: console,
    path: '/risk/$assessmentId',
    component: lazyRouteComponent(() => import('./assessment-page.tsx'), 'AssessmentPage'),
  }),
] as const
