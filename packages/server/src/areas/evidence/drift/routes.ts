import type { FastifyRequest } from 'fastify'
import { actorOf, enterTenant, requireTenant } from '../../../http/access/guard.ts'
import { reaches } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, toPageRequest } from '../../../http/wire.ts'
import {
  AcknowledgeBody,
  AcknowledgedAlerts,
  Alert,
  AlertPage,
  AlertParams,
  AlertQuery,
  toAlert,
  toAlertPage,
} from './schema.ts'
import { type DriftService, noAlert } from './service.ts'

const tags = ['drift']

export function driftRoutes(app: Server, drift: DriftService): void {
  app.get(
    '/v1/agents/:agent_id/drift',
    {
      config: { access: 'checkpoints.read', tenantFrom: 'agent', perMinute: 120 },
      schema: {
        operationId: 'listDriftAlerts',
        summary: 'List the drift alerts of an agent',
        description: 'Newest first.',
        tags,
        params: AgentParams,
        querystring: AlertQuery,
        response: { 200: AlertPage },
      },
    },
    async (req) => {
      const { kind, status } = req.query
      const page = toPageRequest(req.query)
      return toAlertPage(await drift.list(req.params.agent_id, { kind, status }, page))
    },
  )

  app.post(
    '/v1/agents/:agent_id/drift/acknowledge',
    {
      config: { access: 'evidence.ingest', tenantFrom: 'agent', perMinute: 60 },
      schema: {
        operationId: 'acknowledgeDriftAlerts',
        summary: 'Acknowledge several drift alerts of an agent',
        description: 'Alerts that are already resolved are left out of the answer.',
        tags,
        params: AgentParams,
        body: AcknowledgeBody,
        response: { 200: AcknowledgedAlerts },
      },
    },
    async (req) => {
      const { agent_id: agentId } = req.params
      const chosen = { agentId, alertIds: req.body.alert_ids }
      const alerts = await drift.acknowledgeAll(requireTenant(req), chosen, actorOf(req))
      return { alerts: alerts.map(toAlert) }
    },
  )

  app.post(
    '/v1/drift/:alert_id/acknowledge',
    {
      // The organisation is known only once the alert is found.
      config: { access: 'evidence.ingest', tenantFrom: 'handler', perMinute: 60 },
      schema: {
        operationId: 'acknowledgeDriftAlert',
        summary: 'Acknowledge an open drift alert',
        tags,
        params: AlertParams,
        response: { 200: Alert },
      },
    },
    async (req) => {
      const { alert, tenant } = await enterOwn(req, drift, req.params.alert_id)
      return toAlert(await drift.acknowledge(tenant, alert, actorOf(req)))
    },
  )
}

/** Another organisation's alert gets the same answer as a missing one (spec: platform §1.2). */
async function enterOwn(req: FastifyRequest, drift: DriftService, alertId: string) {
  const alert = await drift.find(alertId)
  if (alert === undefined || !reaches(req.caller, alert)) throw noAlert()
  return { alert, tenant: enterTenant(req, alert.orgId, 'evidence.ingest', alert.agentId) }
}
