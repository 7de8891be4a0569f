import type { FastifyRequest } from 'fastify'
import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams } from '../../../http/wire.ts'
import {
  ConnectionChanges,
  ConnectionList,
  ConnectionParams,
  ConnectionRecord,
  ConnectionRecordWithToken,
  ConnectionRotation,
  NewConnectionBody,
  RevokedConnection,
  SECRET_FIELDS,
  toConnectionRecord,
  toConnectionWithToken,
  toNewConnection,
} from './schema.ts'
import type { ConnectionService, Owner } from './service.ts'

const tags = ['connections']
const access = 'connections.manage'
const tenantFrom = 'agent'
const secrets = SECRET_FIELDS

/** Connections of an agent to its model providers. */
export function connectionRoutes(app: Server, connections: ConnectionService): void {
  app.post(
    '/v1/agents/:agent_id/connections',
    {
      config: { access, tenantFrom, perMinute: 30, secrets },
      schema: {
        operationId: 'createModelConnection',
        summary: 'Create a connection to a model provider',
        description: 'The token is shown only once, also within base_url and environment.',
        tags,
        params: AgentParams,
        body: NewConnectionBody,
        response: { 201: ConnectionRecordWithToken },
      },
    },
    async (req, reply) => {
      const wanted = toNewConnection(req.body)
      const made = await connections.create(ownerOf(req), wanted, actorOf(req))
      return reply.code(201).send(toConnectionWithToken(made))
    },
  )

  app.get(
    '/v1/agents/:agent_id/connections',
    {
      config: { access, tenantFrom, perMinute: 60 },
      schema: {
        operationId: 'listModelConnections',
        summary: 'List the connections of an agent',
        tags,
        params: AgentParams,
        response: { 200: ConnectionList },
      },
    },
    async (req) => ({
      connections: (await connections.list(ownerOf(req))).map(toConnectionRecord),
    }),
  )

  app.get(
    '/v1/agents/:agent_id/connections/:connection_id',
    {
      config: { access, tenantFrom, perMinute: 60 },
      schema: {
        operationId: 'getModelConnection',
        summary: 'Get a connection of an agent',
        tags,
        params: ConnectionParams,
        response: { 200: ConnectionRecord },
      },
    },
    async (req) =>
      toConnectionRecord(await connections.get(ownerOf(req), req.params.connection_id)),
  )

  app.patch(
    '/v1/agents/:agent_id/connections/:connection_id',
    {
      config: { access, tenantFrom, perMinute: 30 },
      schema: {
        operationId: 'updateModelConnection',
        summary: 'Change the settings of a connection',
        tags,
        params: ConnectionParams,
        body: ConnectionChanges,
        response: { 200: ConnectionRecord },
      },
      preValidation: async (req) => {
        await connections.get(ownerOf(req), req.params.connection_id)
      },
    },
    async (req) => {
      const { name, on_contained: onContained, on_error: onError, mode } = req.body
      const change = { name, onContained, onError, mode, actor: actorOf(req) }
      const { connection_id: connectionId } = req.params
      return toConnectionRecord(await connections.change(ownerOf(req), connectionId, change))
    },
  )

  app.delete(
    '/v1/agents/:agent_id/connections/:connection_id',
    {
      config: { access, tenantFrom, perMinute: 30 },
      schema: {
        operationId: 'revokeModelConnection',
        summary: 'Revoke a connection',
        description: 'Its token stops working within a second.',
        tags,
        params: ConnectionParams,
        response: { 200: RevokedConnection },
      },
    },
    async (req) => {
      const { connection_id: connectionId } = req.params
      await connections.revoke(ownerOf(req), connectionId, actorOf(req))
      return { revoked: true as const, connection_id: connectionId }
    },
  )

  app.post(
    '/v1/agents/:agent_id/connections/:connection_id/rotate',
    {
      config: { access, tenantFrom, perMinute: 30, secrets },
      schema: {
        operationId: 'rotateModelConnection',
        summary: 'Rotate the token of a connection',
        description: 'The new token is shown only once.',
        tags,
        params: ConnectionParams,
        body: ConnectionRotation,
        response: { 200: ConnectionRecordWithToken },
      },
      preValidation: async (req) => {
        await connections.get(ownerOf(req), req.params.connection_id)
      },
    },
    async (req) => {
      const { connection_id: connectionId } = req.params
      const graceHours = req.body.grace_hours ?? 0
      const rotation = { graceHours, actor: actorOf(req) }
      return toConnectionWithToken(await connections.rotate(ownerOf(req), connectionId, rotation))
    },
  )
}

function ownerOf(req: FastifyRequest<{ Params: { agent_id: string } }>): Owner {
  const { orgId, accountId } = requireTenant(req)
  return { orgId, accountId, agentId: req.params.agent_id }
}
