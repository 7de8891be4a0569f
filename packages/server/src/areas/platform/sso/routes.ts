import type { FastifyReply, FastifyRequest } from 'fastify'
import { actorOf } from '../../../http/access/guard.ts'
import { deviceOf } from '../../../http/identity/device.ts'
import { Tokens } from '../../../http/identity/tokens.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams, toEmail } from '../../../http/wire.ts'
import {
  ACS_BODY_BYTES_MAX,
  AcsForm,
  CallbackQuery,
  DomainAnswer,
  DomainQuery,
  Exchange,
  LoginPage,
  LoginQuery,
  Metadata,
  SignInFailed,
  SsoConfigured,
  SsoRemoved,
  SsoSettings,
  SsoState,
  SsoTest,
  SsoTested,
  ToDashboard,
  ToProvider,
  toConnection,
  toSso,
  toTested,
  toTestTarget,
} from './schema.ts'
import type { SsoService } from './service.ts'
import type { SignInPage } from './sign-in-service.ts'

const tags = ['single sign-on']

/** For owners. */
export function ssoRoutes(app: Server, sso: SsoService): void {
  app.put(
    '/v1/orgs/:org_id/sso',
    {
      config: { access: 'sso.manage', feature: 'sso', perMinute: 30, refuses: [409] },
      schema: {
        operationId: 'configureSso',
        summary: 'Configure single sign-on',
        description:
          'The identity provider is tested first: the SAML metadata, or the discovery document of OpenID Connect.',
        tags,
        params: OrgParams,
        body: SsoSettings,
        response: { 200: SsoConfigured },
      },
    },
    async (req) => {
      const { body } = req
      const fields = {
        connection: toConnection(body),
        idpName: body.idp_name ?? null,
        defaultRole: body.default_role ?? ('member' as const),
        roleMapping: body.role_mapping ?? [],
        groupsClaim: body.groups_claim ?? 'groups',
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
        operationId: 'getSso',
        summary: 'Get the single sign-on configuration',
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
        operationId: 'deleteSso',
        summary: 'Remove the single sign-on configuration',
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
        operationId: 'testSso',
        summary: 'Test an identity provider without storing it',
        tags,
        params: OrgParams,
        body: SsoTest,
        response: { 200: SsoTested },
      },
    },
    async (req) => toTested(await sso.test(req.params.org_id, toTestTarget(req.body))),
  )
}

/** For browsers that are signing in; there is no caller yet, so limits count addresses. */
export function ssoSignInRoutes(app: Server, sso: SsoService): void {
  app.get(
    '/v1/auth/sso/check-domain',
    {
      config: { access: 'public', perMinute: 60, limitBy: 'address' },
      schema: {
        operationId: 'checkSsoDomain',
        summary: 'Check whether an e-mail address signs in with single sign-on',
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
        operationId: 'getSsoMetadata',
        summary: 'Get the SAML metadata of this service for an identity provider',
        tags,
        params: OrgParams,
        response: { 200: Metadata },
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
        operationId: 'startSso',
        summary: 'Start a sign-in at the identity provider',
        tags,
        params: OrgParams,
        querystring: LoginQuery,
        response: {
          200: LoginPage,
          302: ToProvider,
          403: SignInFailed,
          404: SignInFailed,
        },
      },
    },
    async (req, reply) => {
      const { return_to: returnTo = null, state = null } = req.query
      const step = await sso.login(req.params.org_id, { returnTo, state }, browserOf(req))
      if (step.kind === 'refused') return sendPage(reply, step.page)
      reply.header('set-cookie', step.cookie)
      if (step.kind === 'redirect') return reply.redirect(step.url, 302)
      return reply
        .header('content-security-policy', POSTING_PAGE_POLICY)
        .type('text/html; charset=utf-8')
        .send(step.html)
    },
  )

  ssoReturnRoutes(app, sso)
}

/** The page runs one inline script, which submits its form, and loads nothing. */
const POSTING_PAGE_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

function browserOf(req: FastifyRequest) {
  return { ...deviceOf(req), cookies: req.headers.cookie }
}

function sendPage(reply: FastifyReply, { status, html, policy }: SignInPage) {
  return reply
    .code(status)
    .header('content-security-policy', policy)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(html)
}

/** The return from the identity provider: its response gives a code, the code gives tokens. */
function ssoReturnRoutes(app: Server, sso: SsoService): void {
  app.post(
    '/v1/auth/sso/:org_id/acs',
    {
      config: {
        access: 'public',
        perMinute: 30,
        limitBy: 'address',
        media: 'form',
      },
      bodyLimit: ACS_BODY_BYTES_MAX,
      schema: {
        operationId: 'acceptSsoResponse',
        summary: 'Receive the response of the identity provider',
        tags,
        params: OrgParams,
        body: AcsForm,
        response: { 303: ToDashboard, 403: SignInFailed, 404: SignInFailed },
      },
    },
    async (req, reply) => {
      const { SAMLResponse } = req.body
      const back = await sso.accept(req.params.org_id, SAMLResponse, browserOf(req))
      return back.kind === 'redirect' ? reply.redirect(back.url, 303) : sendPage(reply, back.page)
    },
  )

  app.get(
    '/v1/auth/sso/:org_id/callback',
    {
      config: { access: 'public', perMinute: 30, limitBy: 'address' },
      schema: {
        operationId: 'acceptSsoCode',
        summary: 'Receive the authorization code of the identity provider',
        tags,
        params: OrgParams,
        querystring: CallbackQuery,
        response: { 303: ToDashboard, 403: SignInFailed, 404: SignInFailed },
      },
    },
    async (req, reply) => {
      const { code, state, error, iss } = req.query
      const callback = { code, state, error, iss }
      const back = await sso.callback(req.params.org_id, callback, browserOf(req))
      return back.kind === 'redirect' ? reply.redirect(back.url, 303) : sendPage(reply, back.page)
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
        operationId: 'exchangeSsoCode',
        summary: 'Exchange a sign-in code for tokens',
        description:
          'A code works once, for 60 seconds, and with the cookie of the browser that started the sign-in.',
        tags,
        body: Exchange,
        response: { 200: Tokens },
      },
    },
    async (req) => sso.exchange(req.body.code, browserOf(req)),
  )
}
