import type { FastifyRequest } from 'fastify'
import { notForBoundKeys } from '../../../http/access/bound-key.ts'
import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import { boundAgentOf } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, toPageRequest } from '../../../http/wire.ts'
import {
  AcceptanceBody,
  ToolPinPage,
  ToolPinQuery,
  ToolPinRecord,
  ToolReportAnswer,
  ToolReportBody,
  toReport,
  toReportAnswer,
  toToolPin,
  toToolPinPage,
} from './schema.ts'
import type { ToolPinService } from './service.ts'

const tags = ['gateway']
const tenantFrom = 'agent'

export function toolPinRoutes(app: Server, pins: ToolPinService): void {
  app.get(
    '/v1/agents/:agent_id/tool-pins',
    {
      config: { access: 'tool_pins.read', tenantFrom, perMinute: 120 },
      schema: {
        operationId: 'listToolPins',
        summary: 'List the pinned MCP tools of an agent',
        description: 'Tools with a change that nobody has accepted come first.',
        tags,
        params: AgentParams,
        querystring: ToolPinQuery,
        response: { 200: ToolPinPage },
      },
    },
    async (req) => {
      const { server, changed: isChanged } = req.query
      const page = toPageRequest(req.query)
      return toToolPinPage(await pins.list(agentOf(req), { server, isChanged }, page))
    },
  )

  app.post(
    '/v1/agents/:agent_id/tool-pins',
    {
      config: { access: 'tool_pins.report', tenantFrom, perMinute: 120, refuses: [409] },
      schema: {
        operationId: 'reportTools',
        summary: 'Report the tools that an MCP server lists',
        description:
          'A tool that is seen for the first time is pinned. A definition that differs from the pinned one is noted as a change, and calls of the tool are decided with the reason tool_changed until the change is accepted.',
        tags,
        params: AgentParams,
        body: ToolReportBody,
        response: { 200: ToolReportAnswer },
      },
    },
    async (req) => {
      const report = toReport(req.body)
      return toReportAnswer(report.server, await pins.report(agentOf(req), report))
    },
  )

  app.put(
    '/v1/agents/:agent_id/tool-pins',
    {
      config: {
        access: 'tool_pins.accept',
        tenantFrom,
        perMinute: 60,
        refuses: [404, 409],
      },
      schema: {
        operationId: 'acceptTool',
        summary: 'Accept a definition of a pinned tool',
        description:
          'That of the change is pinned from now on; the pinned one is kept, and the change is discarded. 409 if the definition has changed again. A key that is bound to an agent cannot accept changes.',
        tags,
        params: AgentParams,
        body: AcceptanceBody,
        response: { 200: ToolPinRecord },
      },
      preValidation: async (req) => {
        const bound = boundAgentOf(req.caller)
        // The agent whose tools changed must not accept the change itself.
        if (bound !== undefined) throw notForBoundKeys(bound)
      },
    },
    async (req) => {
      const { server, tool, sha256 } = req.body
      const acceptance = { server, tool, sha256, actor: actorOf(req) }
      return toToolPin(await pins.accept(agentOf(req), acceptance))
    },
  )
}

function agentOf(req: FastifyRequest<{ Params: { agent_id: string } }>) {
  return { orgId: requireTenant(req).orgId, agentId: req.params.agent_id }
}
