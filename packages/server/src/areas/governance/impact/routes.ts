import { requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { LearnAnswer, LearnBody, toLearned, toLearnRequest } from './learn-schema.ts'
import type { LearnService } from './learn-service.ts'
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

export function learnRoutes(app: Server, learning: LearnService): void {
  app.post(
    '/v1/policies/learn',
    {
      config: { access: 'policies.evaluate', perMinute: 10, refuses: [404] },
      schema: {
        operationId: 'learnPolicy',
        summary: 'Learn the least policy that allows what an agent did',
        description:
          'From recorded decisions and traces. Stores nothing and puts nothing in force: read the policy, then store it with PUT /v1/agents/{agent_id}/policy.',
        tags: ['policies'],
        body: LearnBody,
        response: { 200: LearnAnswer },
      },
    },
    async (req) => {
      const request = toLearnRequest(requireTenant(req).orgId, req.body)
      return toLearned(await learning.learn(request))
    },
  )
}
