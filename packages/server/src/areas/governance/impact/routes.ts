import { requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { ImpactAnswer, ImpactBody, toImpact, toImpactRequest } from './schema.ts'
import type { ImpactService } from './service.ts'

/** The largest policy document (spec: governance §1.4) plus the other fields. */
const BODY_BYTES_MAX = 262_144 + 1024

export function impactRoutes(app: Server, impact: ImpactService): void {
  app.post(
    '/v1/policies/impact',
    {
      bodyLimit: BODY_BYTES_MAX,
      config: { access: 'policies.evaluate', perMinute: 30, refuses: [404] },
      schema: {
        operationId: 'assessPolicyImpact',
        summary: 'Assess the impact of a draft policy on past traces',
        description: 'Stores nothing.',
        tags: ['policies'],
        body: ImpactBody,
        response: { 200: ImpactAnswer },
      },
    },
    async (req) => {
      const request = toImpactRequest(requireTenant(req).orgId, req.body)
      return toImpact(await impact.assess(request))
    },
  )
}
