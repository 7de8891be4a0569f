import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { siteRoute } from '../../layouts.tsx'
import { parseVerifyLink } from '../../verify/verify-link.ts'
import { readSearch } from './directory/queries.ts'

const site = () => siteRoute

export const publicRoutes = [
  createRoute({
    getParentRoute: site,
    path: '/',
    component: lazyRouteComponent(() => import('./home/home-page.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute: site,
    path: '/directory',
    component: lazyRouteComponent(() => import('./directory/directory-page.tsx'), 'DirectoryPage'),
    validateSearch: readSearch,
  }),
  createRoute({
    getParentRoute: site,
    path: '/a/$agentId',
    component: lazyRouteComponent(() => import('./agent/agent-page.tsx'), 'AgentPage'),
  }),
  createRoute({
    getParentRoute: site,
    path: '/t/$teamId',
    component: lazyRouteComponent(() => import('./team/team-page.tsx'), 'TeamPage'),
  }),
  createRoute({
    getParentRoute: site,
    path: '/methodology',
    component: lazyRouteComponent(
      () => import('./methodology/methodology-page.tsx'),
      'MethodologyPage',
    ),
  }),
  createRoute({
    getParentRoute: site,
    path: '/verify',
    component: lazyRouteComponent(() => import('./verify/verify-page.tsx'), 'VerifyPage'),
    validateSearch: parseVerifyLink,
  }),
] as const
