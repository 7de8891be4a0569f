import { Type } from 'typebox'
import { actorOf, originOf } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams, toEmail } from '../../../http/wire.ts'
import {
  ACS_BODY_BYTES_MAX,
  AcsForm,
  DomainAnswer,
  DomainQuery,
  Exchange,
  LoginQuery,
  SsoConfigured,
  SsoRemoved,
  SsoSettings,
  SsoState,
  SsoTest,
  SsoTested,
  Tokens,
  toSso,
} from './schema.ts'
import type { SsoService } from './service.ts'

const tags = ['single sign-on']

/** For owners. */
export function ssoRoutes(app: Server, sso: SsoService): void {
  app.put(
    '/v1/orgs/:org_id/sso',
    {
      config: { access: 'sso.manage', feature: 'sso', perMinute: 30, refuses: [409] },
      schema: {
        summary: 'Set up single sign-on; the metadata is tested first',
        tags,
        params: OrgParams,
        body: SsoSettings,
        response: { 200: SsoConfigured },
      },
    },
    async (req) => {
      const { body } = req
      const fields = {
        metadataUrl: body.metadata_url,
        idpName: body.idp_name ?? null,
        defaultRole: body.default_role ?? ('member' as const),
        allowedDomains: body.allowed_domains,
        enforced: body.enforced ?? false,
      }
      return toSso(await sso.configure({ orgId: req.params.org_id, actor: actorOf(req), fields }))
    },
  )

  app.get(
    '/v1/orgs/:org_id/sso',
    {
      config: { access: 'sso.manage', feature: 'sso', perMinute: 60 },
      schema: {
        summary: 'Single sign-on as it is',
        tags,
        params: OrgParams,
        response: { 200: SsoState },
      },
    },
    async (req) => {
      const view = await sso.find(req.params.org_id)
      return view === undefined ? { configured: false as const } : toSso(view)
    },
  )

  app.delete(
    '/v1/orgs/:org_id/sso',
    {
      config: { access: 'sso.manage', feature: 'sso', perMinute: 30 },
      schema: {
        summary: 'Give up single sign-on',
        tags,
        params: OrgParams,
        response: { 200: SsoRemoved },
      },
    },
    async (req) => {
      await sso.remove(req.params.org_id, actorOf(req))
      const note =
        'People who signed in this way stay members but can no longer sign in. Invite them again under another sign-in, or remove them.'
      return { removed: true as const, note }
    },
  )

  app.post(
    '/v1/orgs/:org_id/sso/test',
    {
      config: { access: 'sso.manage', feature: 'sso', perMinute: 10 },
      schema: {
        summary: 'Test metadata without storing it',
        tags,
        params: OrgParams,
        body: SsoTest,
        response: { 200: SsoTested },
      },
    },
    async (req) => {
      const tested = await sso.test(req.params.org_id, req.body.metadata_url)
      return { valid: tested.error === null, error: tested.error, metadata_url: tested.metadataUrl }
    },
  )
}

/** For browsers on their way in; nobody is signed in yet, so limits count addresses. */
export function ssoSignInRoutes(app: Server, sso: SsoService): void {
  app.get(
    '/v1/auth/sso/check-domain',
    {
      config: { access: 'public', perMinute: 60, limitBy: 'address' },
      schema: {
        summary: 'Whether an address signs in through its organisation',
        tags,
        querystring: DomainQuery,
        response: { 200: DomainAnswer },
      },
    },
    async (req) => {
      const found = await sso.checkDomain(toEmail(req.query.email))
      return {
        sso: found !== undefined,
        org_id: found?.orgId ?? null,
        login_url: found?.loginUrl ?? null,
        enforced: found?.enforced ?? false,
      }
    },
  )

  app.get(
    '/v1/auth/sso/:org_id/metadata',
    {
      config: { access: 'public', perMinute: 60 },
      schema: {
        summary: 'Our SAML metadata, for the identity provider',
        tags,
        params: OrgParams,
        response: { 200: Type.String({ description: 'XML' }) },
      },
    },
    async (req, reply) =>
      reply
        .type('application/samlmetadata+xml; charset=utf-8')
        .send(await sso.metadata(req.params.org_id)),
  )

  app.get(
    '/v1/auth/sso/:org_id/login',
    {
      config: { access: 'public', perMinute: 60, limitBy: 'address' },
      schema: {
        summary: 'Go to the identity provider',
        tags,
        params: OrgParams,
        querystring: LoginQuery,
        response: {
          200: Type.String({ description: 'a page that posts itself, for the POST binding' }),
          302: Type.Null({ description: 'to the identity provider' }),
        },
      },
    },
    async (req, reply) => {
      const { return_to: returnTo, state } = req.query
      const step = await sso.login(req.params.org_id, {
        returnTo: returnTo ?? null,
        state: state ?? null,
      })
      if (step.kind === 'redirect') return reply.redirect(step.url, 302)
      return reply
        .header('content-security-policy', POSTING_PAGE_POLICY)
        .type('text/html; charset=utf-8')
        .send(step.html)
    },
  )

  ssoReturnRoutes(app, sso)
}

/** The page runs one inline script, which posts its form, and loads nothing. */
const POSTING_PAGE_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

/** The way back: from the identity provider to a code, from the code to tokens. */
function ssoReturnRoutes(app: Server, sso: SsoService): void {
  app.post(
    '/v1/auth/sso/:org_id/acs',
    {
      config: {
        access: 'public',
        perMinute: 30,
        limitBy: 'address',
        media: 'form',
        refuses: [403],
      },
      bodyLimit: ACS_BODY_BYTES_MAX,
      schema: {
        summary: "Take the identity provider's answer",
        tags,
        params: OrgParams,
        body: AcsForm,
        response: { 303: Type.Null({ description: 'to the dashboard, with a code' }) },
      },
    },
    async (req, reply) => {
      const { SAMLResponse } = req.body
      return reply.redirect(await sso.accept(req.params.org_id, SAMLResponse, originOf(req)), 303)
    },
  )

  app.post(
    '/v1/auth/sso/exchange',
    {
      config: {
        access: 'public',
        perMinute: 30,
        limitBy: 'address',
        secrets: ['access_token', 'refresh_token'],
        refuses: [401],
      },
      schema: {
        summary: 'Exchange the code for tokens, once and within 60 seconds',
        tags,
        body: Exchange,
        response: { 200: Tokens },
      },
    },
    async (req) => sso.exchange(req.body.code),
  )
}
