import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import {
  AgentParams,
  ContainmentAnswer,
  MoveAnswer,
  MoveBody,
  PolicyAnswer,
  PolicyBody,
  toContainment,
  toMoveAnswer,
} from './schema.ts'
import type { ContainmentService, ManualAction } from './service.ts'

const tags = ['containment']
const PATH = '/v1/orgs/:org_id/agents/:agent_id'

const MOVES: readonly {
  action: ManualAction
  access: 'containment.pause' | 'containment.kill'
  summary: string
  description: string
}[] = [
  {
    action: 'pause',
    access: 'containment.pause',
    summary: 'Pause an agent',
    description: 'The gateway blocks its calls until it is resumed.',
  },
  {
    action: 'resume',
    access: 'containment.pause',
    summary: 'Resume a paused agent',
    description: 'The gateway decides its calls again.',
  },
  {
    action: 'kill',
    access: 'containment.kill',
    summary: 'Kill an agent',
    description: 'The gateway blocks its calls until an owner reactivates it.',
  },
  {
    action: 'reactivate',
    access: 'containment.kill',
    summary: 'Reactivate a killed agent',
    description: 'The gateway decides its calls again.',
  },
]

export function containmentRoutes(app: Server, containment: ContainmentService): void {
  for (const { action, access, summary, description } of MOVES) {
    app.post(
      `${PATH}/${action}`,
      {
        config: { access, tenantFrom: 'agent', perMinute: 30 },
        schema: {
          operationId: `${action}Agent`,
          summary,
          description,
          tags,
          params: AgentParams,
          body: MoveBody,
          response: { 200: MoveAnswer },
        },
      },
      async (req) => {
        const { agent_id: agentId } = req.params
        const { reason = null } = req.body
        const move = { action, reason, actor: actorOf(req) }
        return toMoveAnswer(agentId, await containment.move(requireTenant(req), agentId, move))
      },
    )
  }

  app.get(
    `${PATH}/containment`,
    {
      config: { access: 'containment.read', tenantFrom: 'agent', perMinute: 60 },
      schema: {
        operationId: 'getContainment',
        summary: 'Get the containment status of an agent',
        description: 'With the log of who paused, resumed, killed or reactivated it.',
        tags,
        params: AgentParams,
        response: { 200: ContainmentAnswer },
      },
    },
    async (req) => {
      const { org_id: orgId, agent_id: agentId } = req.params
      return toContainment(agentId, await containment.get({ orgId, agentId }))
    },
  )

  app.put(
    `${PATH}/containment-policy`,
    {
      config: { access: 'containment.policy', tenantFrom: 'agent', perMinute: 30, refuses: [409] },
      schema: {
        operationId: 'setContainmentPolicy',
        summary: 'Set how many consecutive boundary violations pause an agent',
        tags,
        params: AgentParams,
        body: PolicyBody,
        response: { 200: PolicyAnswer },
      },
    },
    async (req) => {
      const { org_id: orgId, agent_id: agentId } = req.params
      const { auto_containment_threshold: threshold } = req.body
      await containment.setThreshold({ orgId, agentId }, threshold, actorOf(req))
      return { agent_id: agentId, auto_containment_threshold: threshold }
    },
  )
}
