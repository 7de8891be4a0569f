import { isWellFormedApiKey } from '@touchstone/protocol'
import { Problem } from '../kernel/problem.ts'
import type { Prompt } from '../kernel/promptly.ts'
import type { Caller, KeyCaller, UserCaller } from './caller.ts'
import type { GuardedRequest } from './guarded.ts'

/** Answers who holds a credential; `undefined` for every way of being invalid. */
export type Authenticator = {
  /** From memory as a rule. */
  key(secret: string): Prompt<KeyCaller | undefined>
  session(token: string): Promise<UserCaller | undefined>
  /** The target of an impersonation, as the administrator may see it. */
  impersonate(admin: UserCaller, token: string): Promise<UserCaller | undefined>
}

const ANONYMOUS: Caller = { kind: 'anonymous' }
const TOKEN_LENGTH_MAX = 8192

/** One message for every cause, so that an answer tells nothing about which part was wrong. */
export function unauthorized(): Problem {
  return new Problem('unauthorized', 'A valid API key or session token is required.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

/**
 * The caller, or `undefined` when a credential was shown and is not valid. With both headers,
 * Authorization alone counts, without fallback (04 §2.1).
 */
export function authenticate(
  req: GuardedRequest,
  authenticator: Authenticator,
): Prompt<Caller | undefined> {
  const authorization = req.headers.authorization
  if (authorization !== undefined) {
    const token = bearerToken(authorization)
    if (token === undefined) return undefined
    return token.startsWith('tsk_')
      ? byKey(token, authenticator)
      : bySession(req, token, authenticator)
  }
  const key = req.headers['x-service-api-key']
  if (key === undefined) return ANONYMOUS
  return typeof key === 'string' ? byKey(key, authenticator) : undefined
}

function bearerToken(header: string): string | undefined {
  if (header.length > TOKEN_LENGTH_MAX) return undefined
  return /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1]
}

function byKey(key: string, authenticator: Authenticator): Prompt<KeyCaller | undefined> {
  // A wrong checksum is refused without a look into the database.
  return isWellFormedApiKey(key) ? authenticator.key(key) : undefined
}

async function bySession(
  req: GuardedRequest,
  token: string,
  authenticator: Authenticator,
): Promise<UserCaller | undefined> {
  const user = await authenticator.session(token)
  const impersonation = req.headers['x-impersonate-token']
  if (user === undefined || impersonation === undefined) return user
  return typeof impersonation === 'string'
    ? authenticator.impersonate(user, impersonation)
    : undefined
}
