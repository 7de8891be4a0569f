import { actorOf, requireUser } from '../../../http/access/guard.ts'
import { deviceOf } from '../../../http/identity/device.ts'
import { Tokens } from '../../../http/identity/tokens.ts'
import type { Server } from '../../../http/server.ts'
import { toEmail } from '../../../http/wire.ts'
import {
  AccountDeleted,
  CodeBody,
  ConfirmBody,
  Discovery,
  KeySet,
  LoginBody,
  MeAnswer,
  Nothing,
  PasswordBody,
  RefreshBody,
  ResetAccepted,
  ResetBody,
  SignInAnswer,
  SignupBody,
  toDiscovery,
  toKeySet,
  toMe,
} from './schema.ts'
import type { AccountService } from './service.ts'

const tags = ['sign-in']
const secrets = ['access_token', 'refresh_token', 'challenge_token']
/** Short, so that clients notice a rotated key soon. */
const CACHE = 'public, max-age=300'

/** Sign-in with e-mail and password. Limits are per client address (spec: platform §3). */
export function passwordRoutes(app: Server, accounts: AccountService): void {
  app.post(
    '/v1/auth/signup',
    {
      config: { access: 'public', perMinute: 5, limitBy: 'address', secrets, refuses: [403, 409] },
      schema: {
        operationId: 'signUp',
        summary: 'Create an account',
        tags,
        body: SignupBody,
        response: { 201: Tokens },
      },
    },
    async (req, reply) => {
      const tokens = await accounts.signup(signupOf(req.body), deviceOf(req))
      return reply.code(201).send(tokens)
    },
  )

  app.post(
    '/v1/auth/login',
    {
      config: { access: 'public', perMinute: 10, limitBy: 'address', secrets, refuses: [401] },
      schema: {
        operationId: 'signIn',
        summary: 'Sign in',
        description: 'For an account with a second factor, the answer is a challenge.',
        tags,
        body: LoginBody,
        response: { 200: SignInAnswer },
      },
    },
    async (req) => accounts.login(toEmail(req.body.email), req.body.password, deviceOf(req)),
  )

  app.post(
    '/v1/auth/login/second-factor',
    {
      config: { access: 'public', perMinute: 10, limitBy: 'address', secrets, refuses: [401] },
      schema: {
        operationId: 'signInWithCode',
        summary: 'Finish a sign-in with a code of the second factor',
        description: 'A code works once.',
        tags,
        body: CodeBody,
        response: { 200: Tokens },
      },
    },
    async (req) => accounts.answerChallenge(req.body.challenge_token, req.body.code, deviceOf(req)),
  )

  app.post(
    '/v1/auth/password',
    {
      config: { access: 'user', perMinute: 30 },
      schema: {
        operationId: 'changePassword',
        summary: 'Change your password',
        description: 'Ends all sessions.',
        tags,
        body: PasswordBody,
        response: { 204: Nothing },
      },
    },
    async (req, reply) => {
      const { current_password: currentPassword, new_password: newPassword } = req.body
      const device = deviceOf(req)
      await accounts.changePassword(actorOf(req), { currentPassword, newPassword, device })
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/v1/auth/password-reset',
    {
      config: { access: 'public', perMinute: 5, limitBy: 'address' },
      schema: {
        operationId: 'requestPasswordReset',
        summary: 'Request an e-mail with a link to reset your password',
        tags,
        body: ResetBody,
        response: { 202: ResetAccepted },
      },
    },
    async (req, reply) => {
      await accounts.requestReset(toEmail(req.body.email))
      return reply.code(202).send({ accepted: true as const })
    },
  )

  app.post(
    '/v1/auth/password-reset/confirm',
    {
      config: { access: 'public', perMinute: 30, limitBy: 'address' },
      schema: {
        operationId: 'confirmPasswordReset',
        summary: 'Set a new password with the token from the e-mail',
        tags,
        body: ConfirmBody,
        response: { 204: Nothing },
      },
    },
    async (req, reply) => {
      await accounts.confirmReset(req.body.token, req.body.new_password, deviceOf(req))
      return reply.code(204).send(null)
    },
  )
}

export function sessionRoutes(app: Server, accounts: AccountService): void {
  app.post(
    '/v1/auth/refresh',
    {
      config: { access: 'public', perMinute: 30, limitBy: 'address', secrets, refuses: [401] },
      schema: {
        operationId: 'refreshTokens',
        summary: 'Exchange a refresh token for new tokens',
        description: 'A refresh token works once.',
        tags,
        body: RefreshBody,
        response: { 200: Tokens },
      },
    },
    async (req) => accounts.refresh(req.body.refresh_token, deviceOf(req)),
  )

  app.post(
    '/v1/auth/logout',
    {
      config: { access: 'public', perMinute: 30, limitBy: 'address' },
      schema: {
        operationId: 'signOut',
        summary: 'End the session of a refresh token',
        tags,
        body: RefreshBody,
        response: { 204: Nothing },
      },
    },
    async (req, reply) => {
      await accounts.logout(req.body.refresh_token)
      return reply.code(204).send(null)
    },
  )
}

export function profileRoutes(app: Server, accounts: AccountService): void {
  app.get(
    '/v1/auth/me',
    {
      config: { access: 'user', perMinute: 60 },
      schema: {
        operationId: 'getMe',
        summary: 'Get your profile',
        tags,
        response: { 200: MeAnswer },
      },
    },
    async (req) => {
      const caller = requireUser(req)
      return toMe(await accounts.me(caller.userId), caller.isPlatformAdmin)
    },
  )

  app.delete(
    '/v1/auth/delete-account',
    {
      config: { access: 'user', perMinute: 30, refuses: [409] },
      schema: {
        operationId: 'deleteAccount',
        summary: 'Delete your account',
        description: 'Leaves every organisation and erases your profile.',
        tags,
        response: { 200: AccountDeleted },
      },
    },
    async (req) => {
      await accounts.deleteAccount(actorOf(req))
      return { success: true as const }
    },
  )
}

/** The documents that others need to verify the tokens we issue. */
export function discoveryRoutes(app: Server, accounts: AccountService, baseUrl: string): void {
  app.get(
    '/.well-known/openid-configuration',
    {
      config: { access: 'public', perMinute: 60 },
      schema: {
        operationId: 'getOpenIdConfiguration',
        summary: 'Get the issuer of session tokens',
        tags,
        response: { 200: Discovery },
      },
    },
    async (_req, reply) => reply.header('cache-control', CACHE).send(toDiscovery(baseUrl)),
  )

  app.get(
    '/.well-known/jwks.json',
    {
      config: { access: 'public', perMinute: 60 },
      schema: {
        operationId: 'getJwks',
        summary: 'Get the public keys of session tokens',
        tags,
        response: { 200: KeySet },
      },
    },
    async (_req, reply) =>
      reply.header('cache-control', CACHE).send(toKeySet(await accounts.publicKeys())),
  )
}

function signupOf(body: {
  email: string
  password: string
  name?: string | null
  invitation_token?: string | null
}) {
  return {
    email: toEmail(body.email),
    password: body.password,
    name: body.name?.trim() || null,
    invitationToken: body.invitation_token ?? undefined,
  }
}
