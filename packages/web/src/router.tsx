import { createRouter } from '@tanstack/react-router'
import { consoleRoute, rootRoute, siteRoute } from './layouts.tsx'
import { accountRoutes } from './pages/account/routes.tsx'
import { agentRoutes } from './pages/agents/routes.tsx'
import { approvalLinkRoute, approvalRoutes } from './pages/approvals/routes.tsx'
import { chainRoutes } from './pages/chain/routes.tsx'
import { connectRoutes } from './pages/connect/routes.tsx'
import { decisionRoutes } from './pages/decisions/routes.tsx'
import { docsRoutes } from './pages/docs/routes.tsx'
import { logRoutes } from './pages/log/routes.tsx'
import { overviewRoutes } from './pages/overview/routes.tsx'
import { policyRoutes } from './pages/policies/routes.tsx'
import { publicRoutes } from './pages/public/routes.tsx'
import { riskRoutes } from './pages/risk/routes.tsx'
import { settingsRoutes } from './pages/settings/routes.tsx'
import { teamRoutes } from './pages/teams/routes.tsx'
import { webhookRoutes } from './pages/webhooks/routes.tsx'
import { sectionRoute } from './shell/section-route.ts'

const routeTree = rootRoute.addChildren([
  siteRoute.addChildren([...publicRoutes, ...accountRoutes, ...docsRoutes]),
  approvalLinkRoute,
  sectionRoute,
  consoleRoute.addChildren([
    ...overviewRoutes,
    ...agentRoutes,
    ...connectRoutes,
    ...settingsRoutes,
    ...policyRoutes,
    ...decisionRoutes,
    ...approvalRoutes,
    ...teamRoutes,
    ...riskRoutes,
    ...webhookRoutes,
    ...logRoutes,
    ...chainRoutes,
  ]),
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
