import { actorOf, requireUser } from '../../../http/access/guard.ts'
import { deviceOf } from '../../../http/identity/device.ts'
import type { Server } from '../../../http/server.ts'
import { Nothing } from './schema.ts'
import {
  ConfirmCodeBody,
  EnrolBody,
  Enrolled,
  ProofBody,
  RecoveryCodes,
  SecondFactor,
  SessionList,
  SessionParams,
  SessionsEnded,
  toSecondFactor,
  toSession,
} from './security-schema.ts'
import type { AccountService } from './service.ts'

const tags = ['sign-in']

/** The sessions of the caller, of every kind of sign-in. */
export function ownSessionRoutes(app: Server, accounts: AccountService): void {
  app.get(
    '/v1/auth/sessions',
    {
      config: { access: 'user', perMinute: 60 },
      schema: {
        operationId: 'listSignInSessions',
        summary: 'List your sessions',
        description: 'Last used first.',
        tags,
        response: { 200: SessionList },
      },
    },
    async (req) => {
      const { userId, sessionId } = requireUser(req)
      const sessions = await accounts.listSessions(userId)
      return { sessions: sessions.map((session) => toSession(session, sessionId)) }
    },
  )

  app.delete(
    '/v1/auth/sessions/:session_id',
    {
      config: { access: 'user', perMinute: 30 },
      schema: {
        operationId: 'endSignInSession',
        summary: 'End one of your sessions',
        description: 'Its tokens stop working on every node within a second.',
        tags,
        params: SessionParams,
        response: { 204: Nothing },
      },
    },
    async (req, reply) => {
      await accounts.endSession(actorOf(req), req.params.session_id)
      return reply.code(204).send(null)
    },
  )

  app.delete(
    '/v1/auth/sessions',
    {
      config: { access: 'user', perMinute: 30 },
      schema: {
        operationId: 'endAllSignInSessions',
        summary: 'Sign out everywhere',
        description: 'Ends all your sessions, this one included.',
        tags,
        response: { 200: SessionsEnded },
      },
    },
    async (req) => ({ ended: await accounts.endAllSessions(actorOf(req)) }),
  )
}

/** For accounts with a password. */
export function secondFactorRoutes(app: Server, accounts: AccountService): void {
  app.get(
    '/v1/auth/second-factor',
    {
      config: { access: 'user', perMinute: 60 },
      schema: {
        operationId: 'getSecondFactor',
        summary: 'Get the state of your second factor',
        tags,
        response: { 200: SecondFactor },
      },
    },
    async (req) => toSecondFactor(await accounts.secondFactor(requireUser(req).userId)),
  )

  app.post(
    '/v1/auth/second-factor',
    {
      config: {
        access: 'user',
        perMinute: 10,
        secrets: ['secret', 'otpauth_uri'],
        refuses: [409],
      },
      schema: {
        operationId: 'enrolSecondFactor',
        summary: 'Create a secret for an authenticator app',
        description: 'It counts once a code of it was confirmed.',
        tags,
        body: EnrolBody,
        response: { 201: Enrolled },
      },
    },
    async (req, reply) => {
      const proof = { password: req.body.current_password, device: deviceOf(req) }
      const { secret, uri } = await accounts.enrolSecondFactor(actorOf(req), proof)
      return reply.code(201).send({ secret, otpauth_uri: uri })
    },
  )

  app.post(
    '/v1/auth/second-factor/confirm',
    {
      config: { access: 'user', perMinute: 10, secrets: ['recovery_codes'], refuses: [409] },
      schema: {
        operationId: 'confirmSecondFactor',
        summary: 'Switch the second factor on with a first code',
        description: 'Ends all other sessions. The recovery codes are not shown again.',
        tags,
        body: ConfirmCodeBody,
        response: { 200: RecoveryCodes },
      },
    },
    async (req) => {
      const { sessionId } = requireUser(req)
      const input = { code: req.body.code, device: deviceOf(req), sessionId }
      return { recovery_codes: await accounts.confirmSecondFactor(actorOf(req), input) }
    },
  )

  app.post(
    '/v1/auth/second-factor/recovery-codes',
    {
      config: { access: 'user', perMinute: 10, secrets: ['recovery_codes'], refuses: [409] },
      schema: {
        operationId: 'replaceRecoveryCodes',
        summary: 'Replace your recovery codes',
        tags,
        body: ProofBody,
        response: { 200: RecoveryCodes },
      },
    },
    async (req) => {
      const { current_password: password, code } = req.body
      const proof = { password, code, device: deviceOf(req) }
      return { recovery_codes: await accounts.regenerateRecoveryCodes(actorOf(req), proof) }
    },
  )

  app.post(
    '/v1/auth/second-factor/disable',
    {
      config: { access: 'user', perMinute: 10, refuses: [409] },
      schema: {
        operationId: 'disableSecondFactor',
        summary: 'Switch your second factor off',
        tags,
        body: ProofBody,
        response: { 204: Nothing },
      },
    },
    async (req, reply) => {
      const { current_password: password, code } = req.body
      await accounts.disableSecondFactor(actorOf(req), { password, code, device: deviceOf(req) })
      return reply.code(204).send(null)
    },
  )
}
