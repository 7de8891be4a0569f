import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { siteRoute } from '../../layouts.tsx'

const docsRoute = createRoute({
  getParentRoute: () => siteRoute,
  path: '/docs',
  component: lazyRouteComponent(() => import('./docs-layout.tsx'), 'DocsLayout'),
})

const docs = () => docsRoute

export const docsRoutes = [
  docsRoute.addChildren([
    createRoute({
      getParentRoute: docs,
      path: '/',
      component: lazyRouteComponent(() => import('./contents-page.tsx'), 'ContentsPage'),
    }),
    createRoute({
      getParentRoute: docs,
      path: '/reference',
      component: lazyRouteComponent(() => import('./reference-page.tsx'), 'ReferencePage'),
    }),
    createRoute({
      getParentRoute: docs,
      path: '/reference/$tag',
      component: lazyRouteComponent(() => import('./tag-page.tsx'), 'TagPage'),
    }),
    createRoute({
      getParentRoute: docs,
      path: '/$',
      component: lazyRouteComponent(() => import('./document-page.tsx'), 'DocumentPage'),
    }),
  ]),
] as const
