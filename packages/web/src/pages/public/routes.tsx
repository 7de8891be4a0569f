import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { siteRoute } from '../../layouts.tsx'

const site = () => siteRoute

export const publicRoutes = [
  createRoute({
    getParentRoute: site,
    path: '/',
    component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute: site,
    path: '/directory',
    component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute: site,
    path: '/methodology',
    component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute: site,
    path: '/verify',
    component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
  }),
] as const
