import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams } from '../../../http/wire.ts'
import {
  OrgPlan,
  PlanChange,
  PlanList,
  toOrgPlan,
  toOverrides,
  toPlan,
  toUsage,
  Usage,
  UsageQuery,
} from './schema.ts'
import type { PlanService } from './service.ts'

const tags = ['plans']

export function planRoutes(app: Server, plans: PlanService): void {
  app.get(
    '/v1/plans',
    {
      config: { access: 'public', perMinute: 'unlimited' },
      schema: {
        operationId: 'listPlans',
        summary: 'List the plans',
        tags,
        response: { 200: PlanList },
      },
    },
    async () => ({ plans: plans.list().map(toPlan) }),
  )

  app.get(
    '/v1/orgs/:org_id/plan',
    {
      config: { access: 'plan.read', perMinute: 60 },
      schema: {
        operationId: 'getOrgPlan',
        summary: "Get an organisation's plan and its usage this month",
        tags,
        params: OrgParams,
        response: { 200: OrgPlan },
      },
    },
    async (req) => toOrgPlan(await plans.get(requireTenant(req))),
  )

  app.get(
    '/v1/orgs/:org_id/usage',
    {
      config: { access: 'usage.read', perMinute: 60 },
      schema: {
        operationId: 'getUsage',
        summary: "Get an organisation's daily usage",
        description: 'Oldest first.',
        tags,
        params: OrgParams,
        querystring: UsageQuery,
        response: { 200: Usage },
      },
    },
    async (req) => {
      const { org_id: orgId } = req.params
      return toUsage(orgId, await plans.usage(orgId, req.query.days ?? 30))
    },
  )
}

/** For platform administrators. */
export function planAdminRoutes(app: Server, plans: PlanService): void {
  app.put(
    '/v1/admin/orgs/:org_id/plan',
    {
      config: { access: 'platform', perMinute: 30 },
      schema: {
        operationId: 'setOrgPlan',
        summary: "Set an organisation's plan, status and limits",
        description: 'Takes effect immediately.',
        tags: ['administration'],
        params: OrgParams,
        body: PlanChange,
        response: { 200: OrgPlan },
      },
    },
    async (req) =>
      toOrgPlan(
        await plans.change({
          orgId: req.params.org_id,
          actor: actorOf(req),
          planId: req.body.plan_id,
          status: req.body.status ?? 'active',
          overrides: toOverrides(req.body.limits),
          cancelAtPeriodEnd: req.body.cancel_at_period_end ?? false,
        }),
      ),
  )
}
