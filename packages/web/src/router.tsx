import { createRouter } from '@tanstack/react-router'
import { consoleRoute, rootRoute, siteRoute } from './layouts.tsx'
import { accountRoutes } from './pages/account/routes.tsx'
import { agentRoutes } from './pages/agents/routes.tsx'
import { publicRoutes } from './pages/public/routes.tsx'

const routeTree = rootRoute.addChildren([
  siteRoute.addChildren([...publicRoutes, ...accountRoutes]),
  consoleRoute.addChildren([...agentRoutes]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
