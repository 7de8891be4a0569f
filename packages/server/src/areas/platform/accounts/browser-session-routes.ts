import type { FastifyReply } from 'fastify'
import type { GuardedRequest } from '../../../http/access/guarded.ts'
import { deviceOf } from '../../../http/identity/device.ts'
import { BrowserSession } from '../../../http/identity/tokens.ts'
import type { Server } from '../../../http/server.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { BrowserTokens } from './browser-session-service.ts'
import { Nothing, RefreshBody } from './schema.ts'
import type { AccountService } from './service.ts'

const tags = ['sign-in']
const secrets = ['access_token', 'refresh_token']
/** Each new tab renews the session once, and colleagues may share an address. */
const RENEWALS_PER_MINUTE = 120
/**
 * A page of another site cannot send this header: it is not among the headers that CORS allows.
 */
const OWN_PAGE_HEADER = 'x-touchstone-dashboard'

/**
 * The dashboard's session, in a cookie that all tabs share and that scripts cannot read (ADR 0067).
 * Access tokens are answered, and stay in the memory of a page.
 */
export function browserSessionRoutes(
  app: Server,
  { browserSessions }: Pick<AccountService, 'browserSessions'>,
): void {
  const answer = (reply: FastifyReply, { access, cookie }: BrowserTokens) => {
    reply.header('set-cookie', cookie).header('cache-control', 'no-store')
    return access
  }
  const requestOf = (req: GuardedRequest) => ({
    device: deviceOf(req),
    cookies: req.headers.cookie,
  })

  app.post(
    '/v1/auth/browser-session',
    {
      config: { access: 'public', perMinute: 30, limitBy: 'address', secrets, refuses: [401, 403] },
      schema: {
        operationId: 'startBrowserSession',
        summary: 'Move a session into a cookie of the browser',
        description: `For the dashboard: uses up the refresh token of a sign-in, and ends the session that was in the cookie. Needs the header ${OWN_PAGE_HEADER}: 1.`,
        tags,
        body: RefreshBody,
        response: { 200: BrowserSession },
      },
    },
    async (req, reply) => {
      requireOwnPage(req.headers)
      const { refresh_token: token } = req.body
      return answer(reply, await browserSessions.start(token, requestOf(req)))
    },
  )

  app.post(
    '/v1/auth/browser-session/renew',
    {
      config: {
        access: 'public',
        perMinute: RENEWALS_PER_MINUTE,
        limitBy: 'address',
        secrets,
        refuses: [401, 403],
      },
      schema: {
        operationId: 'renewBrowserSession',
        summary: 'Get an access token with the cookie of the browser',
        description: `Extends the session. Needs the header ${OWN_PAGE_HEADER}: 1.`,
        tags,
        response: { 200: BrowserSession },
      },
    },
    async (req, reply) => {
      requireOwnPage(req.headers)
      return answer(reply, await browserSessions.renew(requestOf(req)))
    },
  )

  app.delete(
    '/v1/auth/browser-session',
    {
      config: { access: 'public', perMinute: 30, limitBy: 'address', refuses: [403] },
      schema: {
        operationId: 'endBrowserSession',
        summary: 'End the session in the cookie of the browser',
        description: `In all tabs. Needs the header ${OWN_PAGE_HEADER}: 1.`,
        tags,
        response: { 204: Nothing },
      },
    },
    async (req, reply) => {
      requireOwnPage(req.headers)
      const cookie = await browserSessions.end(req.headers.cookie)
      return reply.header('set-cookie', cookie).code(204).send(null)
    },
  )
}

/** Cookies come with requests of other sites too, and of older browsers in spite of SameSite. */
function requireOwnPage(headers: Record<string, unknown>): void {
  const site = headers['sec-fetch-site']
  const isOwn = site === undefined || site === 'same-origin'
  if (isOwn && headers[OWN_PAGE_HEADER] === '1') return
  throw new Problem('forbidden', `Only the dashboard may do this, with ${OWN_PAGE_HEADER}: 1.`)
}
