import type { FastifyRequest } from 'fastify'
import { actorOf, enterTenant, requireTenant, requireUser } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams } from '../../../http/wire.ts'
import type { Clock } from '../../../kernel/clock.ts'
import {
  KeyChanges,
  KeyList,
  KeyParams,
  KeyRecord,
  KeyRecordWithSecret,
  NewKeyBody,
  OrgKeyParams,
  OwnKeyBody,
  Revoked,
  RotateBody,
  toKeyRecord,
  toKeyRecords,
  toKeyWithSecret,
  toNewKey,
  toRanges,
} from './schema.ts'
import type { KeyService, Reach } from './service.ts'

const tags = ['API keys']
const secrets = ['key']

/** The caller's own keys, in all organisations of the caller. */
export function ownKeyRoutes(app: Server, keys: KeyService, clock: Clock): void {
  app.post(
    '/v1/api-keys',
    {
      config: {
        access: 'keys.create',
        tenantFrom: 'handler',
        perMinute: 30,
        secrets,
        refuses: [404],
      },
      schema: {
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description:
          'The secret is shown only once. A key with the scope write can create keys of agents: with agent_id, role member and scopes decide and ingest.',
        tags,
        body: OwnKeyBody,
        response: { 201: KeyRecordWithSecret },
      },
    },
    async (req, reply) => {
      const { org_id: orgId, agent_id: agentId } = req.body
      const org = enterTenant(req, orgId, 'keys.create', agentId)
      const wanted = toNewKey(req.body)
      const actor = actorOf(req)
      const made =
        req.caller.kind === 'key'
          ? await keys.createWithKey(
              org,
              { actor, role: org.role, scopes: req.caller.scopes },
              wanted,
            )
          : await keys.create(org, actor, wanted)
      return reply.code(201).send(toKeyWithSecret(made, clock.now()))
    },
  )

  app.get(
    '/v1/api-keys',
    {
      config: { access: 'user', perMinute: 60 },
      schema: {
        operationId: 'listApiKeys',
        summary: 'List your API keys',
        tags,
        response: { 200: KeyList },
      },
    },
    async (req) => ({ keys: toKeyRecords(await keys.list(ownReach(req)), clock.now()) }),
  )

  app.delete(
    '/v1/api-keys/:key_id',
    {
      config: { access: 'user', perMinute: 30 },
      schema: {
        operationId: 'revokeApiKey',
        summary: 'Revoke one of your API keys',
        tags,
        params: KeyParams,
        response: { 200: Revoked },
      },
    },
    async (req) => {
      await keys.revoke(req.params.key_id, ownReach(req), actorOf(req))
      return { revoked: true as const, key_id: req.params.key_id }
    },
  )

  app.post(
    '/v1/api-keys/:key_id/rotate',
    {
      config: { access: 'user', perMinute: 30, secrets },
      schema: {
        operationId: 'rotateApiKey',
        summary: 'Rotate the secret of one of your API keys',
        description: 'The new secret is shown only once.',
        tags,
        params: KeyParams,
        body: RotateBody,
        response: { 200: KeyRecordWithSecret },
      },
      preValidation: async (req) => {
        await keys.assertWithin(req.params.key_id, ownReach(req))
      },
    },
    async (req) =>
      toKeyWithSecret(
        await keys.rotate({
          keyId: req.params.key_id,
          reach: ownReach(req),
          actor: actorOf(req),
          graceHours: req.body.grace_hours ?? 0,
        }),
        clock.now(),
      ),
  )
}

/** All keys of an organisation, for its owners and admins. */
export function orgKeyRoutes(app: Server, keys: KeyService, clock: Clock): void {
  app.post(
    '/v1/orgs/:org_id/api-keys',
    {
      config: { access: 'org_keys.manage', perMinute: 30, secrets },
      schema: {
        operationId: 'createOrgApiKey',
        summary: 'Create an API key of an organisation',
        description: 'The secret is shown only once.',
        tags,
        params: OrgParams,
        body: NewKeyBody,
        response: { 201: KeyRecordWithSecret },
      },
    },
    async (req, reply) => {
      const made = await keys.create(requireTenant(req), actorOf(req), toNewKey(req.body))
      return reply.code(201).send(toKeyWithSecret(made, clock.now()))
    },
  )

  app.get(
    '/v1/orgs/:org_id/api-keys',
    {
      config: { access: 'org_keys.manage', perMinute: 60 },
      schema: {
        operationId: 'listOrgApiKeys',
        summary: 'List the API keys of an organisation',
        tags,
        params: OrgParams,
        response: { 200: KeyList },
      },
    },
    async (req) => ({
      keys: toKeyRecords(await keys.list({ orgId: req.params.org_id }), clock.now()),
    }),
  )

  app.patch(
    '/v1/orgs/:org_id/api-keys/:key_id',
    {
      config: { access: 'org_keys.manage', perMinute: 30 },
      schema: {
        operationId: 'updateOrgApiKey',
        summary: 'Change the mode and the addresses of an API key of an organisation',
        tags,
        params: OrgKeyParams,
        body: KeyChanges,
        response: { 200: KeyRecord },
      },
      preValidation: async (req) => {
        await keys.assertWithin(req.params.key_id, { orgId: req.params.org_id })
      },
    },
    async (req) => {
      const { org_id: orgId, key_id: keyId } = req.params
      const { mode, allowed_ips: given } = req.body
      const change = { mode, allowedIps: toRanges(given), actor: actorOf(req) }
      return toKeyRecord(await keys.change(keyId, { orgId }, change), clock.now())
    },
  )

  app.delete(
    '/v1/orgs/:org_id/api-keys/:key_id',
    {
      config: { access: 'org_keys.manage', perMinute: 30 },
      schema: {
        operationId: 'revokeOrgApiKey',
        summary: 'Revoke an API key of an organisation',
        tags,
        params: OrgKeyParams,
        response: { 200: Revoked },
      },
    },
    async (req) => {
      const { org_id: orgId, key_id: keyId } = req.params
      await keys.revoke(keyId, { orgId }, actorOf(req))
      return { revoked: true as const, key_id: keyId }
    },
  )

  app.post(
    '/v1/orgs/:org_id/api-keys/:key_id/rotate',
    {
      config: { access: 'org_keys.manage', perMinute: 30, secrets },
      schema: {
        operationId: 'rotateOrgApiKey',
        summary: 'Rotate the secret of an API key of an organisation',
        description: 'The new secret is shown only once.',
        tags,
        params: OrgKeyParams,
        body: RotateBody,
        response: { 200: KeyRecordWithSecret },
      },
      preValidation: async (req) => {
        await keys.assertWithin(req.params.key_id, { orgId: req.params.org_id })
      },
    },
    async (req) =>
      toKeyWithSecret(
        await keys.rotate({
          keyId: req.params.key_id,
          reach: { orgId: req.params.org_id },
          actor: actorOf(req),
          graceHours: req.body.grace_hours ?? 0,
        }),
        clock.now(),
      ),
  )
}

function ownReach(req: FastifyRequest): Reach {
  const user = requireUser(req)
  // If an organisation enforces single sign-on, other sessions cannot reach its keys.
  const orgIds = user.tenants.filter((tenant) => !tenant.locked).map((tenant) => tenant.orgId)
  return { createdBy: user.userId, orgIds }
}
