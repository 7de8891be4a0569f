import { actorOf, requireTenant, requireUser } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams, toEmail } from '../../../http/wire.ts'
import {
  Deleted,
  MemberList,
  MemberParams,
  NewOrg,
  NewRole,
  Org,
  OrgChanges,
  OrgList,
  RemovalQuery,
  Removed,
  RoleChanged,
  toMember,
  toOrg,
} from './schema.ts'
import type { OrgService } from './service.ts'

const tags = ['organisations']

export function orgRoutes(app: Server, orgs: OrgService): void {
  app.post(
    '/v1/orgs',
    {
      config: { access: 'user', perMinute: 30, crossesOrgs: true, refuses: [409] },
      schema: {
        operationId: 'createOrg',
        summary: 'Create an organisation',
        tags,
        body: NewOrg,
        response: { 201: Org },
      },
    },
    async (req, reply) => {
      const view = await orgs.create(actorOf(req), fieldsOf(req.body))
      return reply.code(201).send(toOrg(view))
    },
  )

  app.get(
    '/v1/orgs',
    {
      config: { access: 'user', perMinute: 60 },
      schema: {
        operationId: 'listOrgs',
        summary: 'List your organisations',
        tags,
        response: { 200: OrgList },
      },
    },
    async (req) => {
      const user = requireUser(req)
      const open = user.tenants.filter((tenant) => !tenant.locked).map((tenant) => tenant.orgId)
      const views = await orgs.listOfUser(user.userId)
      return { orgs: views.filter((view) => open.includes(view.org.orgId)).map(toOrg) }
    },
  )

  app.get(
    '/v1/orgs/:org_id',
    {
      config: { access: 'org.read', perMinute: 60 },
      schema: {
        operationId: 'getOrg',
        summary: 'Get an organisation',
        tags,
        params: OrgParams,
        response: { 200: Org },
      },
    },
    async (req) => toOrg(await orgs.get(req.params.org_id, requireTenant(req).role)),
  )

  app.patch(
    '/v1/orgs/:org_id',
    {
      config: { access: 'org.update', perMinute: 30, refuses: [409] },
      schema: {
        operationId: 'updateOrg',
        summary: 'Update an organisation',
        tags,
        params: OrgParams,
        body: OrgChanges,
        response: { 200: Org },
      },
    },
    async (req) =>
      toOrg(
        await orgs.update({
          orgId: req.params.org_id,
          role: requireTenant(req).role,
          actor: actorOf(req),
          changes: changesOf(req.body),
        }),
      ),
  )

  app.delete(
    '/v1/orgs/:org_id',
    {
      config: { access: 'org.delete', perMinute: 30 },
      schema: {
        operationId: 'deleteOrg',
        summary: 'Delete an organisation',
        description: 'It can be restored for 30 days.',
        tags,
        params: OrgParams,
        response: { 200: Deleted },
      },
    },
    async (req) => {
      await orgs.delete(req.params.org_id, actorOf(req))
      return { deleted: true as const }
    },
  )
}

export function memberRoutes(app: Server, orgs: OrgService): void {
  app.get(
    '/v1/orgs/:org_id/members',
    {
      config: { access: 'members.read', perMinute: 60 },
      schema: {
        operationId: 'listMembers',
        summary: 'List the members of an organisation',
        description: 'Owners first.',
        tags,
        params: OrgParams,
        response: { 200: MemberList },
      },
    },
    async (req) => ({ members: (await orgs.listMembers(req.params.org_id)).map(toMember) }),
  )

  app.patch(
    '/v1/orgs/:org_id/members/:user_id',
    {
      config: { access: 'members.change_role', perMinute: 30, refuses: [409] },
      schema: {
        operationId: 'updateMember',
        summary: 'Change the role of a member',
        tags,
        params: MemberParams,
        body: NewRole,
        response: { 200: RoleChanged },
      },
      preValidation: async (req) => {
        await orgs.assertMember(req.params.org_id, req.params.user_id)
      },
    },
    async (req) => {
      const { org_id: orgId, user_id: userId } = req.params
      const actor = actorOf(req)
      const oldRole = await orgs.changeRole({ orgId, userId, role: req.body.role, actor })
      return { org_id: orgId, user_id: userId, old_role: oldRole, new_role: req.body.role }
    },
  )

  app.delete(
    '/v1/orgs/:org_id/members/:user_id',
    {
      // Everyone can leave. The service checks whom the caller's role can remove.
      config: { access: 'org.leave', perMinute: 30, refuses: [409] },
      schema: {
        operationId: 'removeMember',
        summary: 'Remove a member from an organisation',
        description: 'Name yourself to leave.',
        tags,
        params: MemberParams,
        querystring: RemovalQuery,
        response: { 200: Removed },
      },
    },
    async (req) => {
      const { org_id: orgId, user_id: userId } = req.params
      await orgs.removeMember({
        orgId,
        userId,
        role: requireTenant(req).role,
        actor: actorOf(req),
        revokeKeys: req.query.revoke_keys ?? false,
      })
      return { removed: true as const, org_id: orgId, user_id: userId }
    },
  )
}

/** For platform administrators. */
export function orgAdminRoutes(app: Server, orgs: OrgService): void {
  app.post(
    '/v1/admin/orgs/:org_id/restore',
    {
      config: { access: 'platform', perMinute: 30 },
      schema: {
        operationId: 'restoreOrg',
        summary: 'Restore a deleted organisation',
        tags: ['administration'],
        params: OrgParams,
        response: { 200: Org },
      },
    },
    async (req) => toOrg(await orgs.restore(req.params.org_id, actorOf(req))),
  )
}

type NewOrgBody = {
  name: string
  slug: string
  billing_email?: string | null
  company_name?: string | null
}

function fieldsOf(body: NewOrgBody) {
  return {
    name: body.name.trim(),
    slug: body.slug,
    billingEmail: body.billing_email ? toEmail(body.billing_email) : null,
    companyName: body.company_name ?? null,
  }
}

function changesOf(body: Partial<NewOrgBody> & { require_second_factor?: boolean }) {
  const { name, slug, billing_email: email, company_name: companyName } = body
  const { require_second_factor: requiresSecondFactor } = body
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(slug === undefined ? {} : { slug }),
    ...(email === undefined ? {} : { billingEmail: email === null ? null : toEmail(email) }),
    ...(companyName === undefined ? {} : { companyName }),
    ...(requiresSecondFactor === undefined ? {} : { requiresSecondFactor }),
  }
}
