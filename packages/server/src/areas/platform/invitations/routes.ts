import { actorOf, requireUser } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams, toEmail, toPageRequest } from '../../../http/wire.ts'
import {
  AcceptBody,
  AcceptedInvitation,
  InvitationPage,
  InvitationParams,
  InvitationQuery,
  InvitationRevoked,
  InvitationWithToken,
  NewInvitation,
  toAccepted,
  toInvitation,
  toInvitationPage,
} from './schema.ts'
import type { InvitationService } from './service.ts'

const tags = ['organisations']

export function invitationRoutes(app: Server, invitations: InvitationService): void {
  app.post(
    '/v1/orgs/:org_id/invitations',
    {
      config: { access: 'invitations.manage', perMinute: 30, secrets: ['token'] },
      schema: {
        operationId: 'createInvitation',
        summary: 'Invite a person to an organisation by e-mail',
        description:
          'The e-mail has a token of its own, which also verifies the address of whoever signs up with it.',
        tags,
        params: OrgParams,
        body: NewInvitation,
        response: { 201: InvitationWithToken },
      },
    },
    async (req, reply) => {
      const { invitation, token } = await invitations.invite({
        orgId: req.params.org_id,
        actor: actorOf(req),
        email: toEmail(req.body.email),
        role: req.body.role ?? 'member',
      })
      return reply.code(201).send({ ...toInvitation(invitation), token })
    },
  )

  app.get(
    '/v1/orgs/:org_id/invitations',
    {
      config: { access: 'invitations.manage', perMinute: 60 },
      schema: {
        operationId: 'listInvitations',
        summary: 'List the invitations of an organisation',
        description: 'Newest first.',
        tags,
        params: OrgParams,
        querystring: InvitationQuery,
        response: { 200: InvitationPage },
      },
    },
    async (req) => {
      const status = req.query.status ?? 'pending'
      const page = toPageRequest(req.query)
      return toInvitationPage(await invitations.list(req.params.org_id, status, page))
    },
  )

  app.delete(
    '/v1/orgs/:org_id/invitations/:invitation_id',
    {
      config: { access: 'invitations.manage', perMinute: 30, refuses: [409] },
      schema: {
        operationId: 'revokeInvitation',
        summary: 'Revoke an invitation',
        tags,
        params: InvitationParams,
        response: { 200: InvitationRevoked },
      },
    },
    async (req) => {
      const { org_id: orgId, invitation_id: invitationId } = req.params
      await invitations.revoke(orgId, invitationId, actorOf(req))
      return { revoked: true as const, invitation_id: invitationId }
    },
  )

  app.post(
    '/v1/orgs/invitations/accept',
    {
      config: { access: 'user', perMinute: 10, crossesOrgs: true, refuses: [404, 410] },
      schema: {
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation to your verified e-mail address',
        tags,
        body: AcceptBody,
        response: { 200: AcceptedInvitation },
      },
    },
    async (req) =>
      toAccepted(await invitations.accept(req.body.token, requireUser(req), actorOf(req))),
  )
}
