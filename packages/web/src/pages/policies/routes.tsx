import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'

const console = () => consoleRoute
const policyPage = () => import('./policy-page.tsx')

export const policyRoutes = [
  createRoute({
    getParentRoute: console,
    path: '/policies',
    component: lazyRouteComponent(() => import('./policies-page.tsx'), 'PoliciesPage'),
  }),
  createRoute({
    getParentRoute: console,
    path: '/policies/org',
    component: lazyRouteComponent(policyPage, 'OrgPolicyPage'),
  }),
  createRoute({
    getParentRoute: console,
    path: '/policies/agents/$agentId',
    component: lazyRouteComponent(policyPage, 'AgentPolicyPage'),
  }),
  createRoute({
    getParentRoute: console,
    path: '/policies/teams/$teamId',
    component: lazyRouteComponent(policyPage, 'TeamPolicyPage'),
  }),
] as const
