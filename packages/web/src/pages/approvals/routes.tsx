import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { consoleRoute, rootRoute } from '../../layouts.tsx'
import { api } from '../../session/session.ts'
import { findSession } from '../../session/use-session.ts'

const console = () => consoleRoute

export const approvalRoutes = [
  createRoute({
    getParentRoute: console,
    path: '/approvals',
    component: lazyRouteComponent(() => import('./approvals-page.tsx'), 'ApprovalsPage'),
  }),
  createRoute({
    getParentRoute: console,
    path: '/approvals/$escalationId',
    component: lazyRouteComponent(() => import('./approval-page.tsx'), 'ApprovalPage'),
  }),
] as const

/**
 * The address that notifications name. It has no organisation, so the agent of the escalation tells
 * it. Opening it decides nothing.
 */
export const approvalLinkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/approvals/$escalationId',
  beforeLoad: async ({ params: { escalationId }, location }) => {
    if ((await findSession()) === undefined) {
      throw redirect({ to: '/sign-in', search: { next: location.href } })
    }
    const { agent_id: agentId } = await api.request('GET', '/v1/escalations/{escalation_id}', {
      params: { escalation_id: escalationId },
    })
    const { org_id: orgId } = await api.request('GET', '/v1/agents/{agent_id}', {
      params: { agent_id: agentId },
    })
    throw redirect({
      to: '/o/$orgId/approvals/$escalationId',
      params: { orgId: orgId ?? '', escalationId },
      replace: true,
    })
  },
})
