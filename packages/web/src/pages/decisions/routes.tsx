import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'
import { readDecisionSearch } from './search.ts'

const console = () => consoleRoute

export const decisionRoutes = [
  createRoute({
    getParentRoute: console,
    path: '/decisions',
    component: lazyRouteComponent(() => import('./decisions-page.tsx'), 'DecisionsPage'),
    validateSearch: readDecisionSearch,
  }),
  createRoute({
    getParentRoute: console,
    path: '/decisions/$decisionId',
    component: lazyRouteComponent(() => import('./decision-page.tsx'), 'DecisionPage'),
  }),
] as const
