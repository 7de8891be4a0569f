import { isWellFormedApiKey } from '@touchstone/protocol/identifiers'
import { createCache } from '../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../kernel/clock.ts'
import { tokenHash } from '../../kernel/ids.ts'
import { Problem } from '../../kernel/problem.ts'
import type { GuardedRequest } from '../access/guarded.ts'
import type { Caller, KeyCaller, UserCaller } from './caller.ts'

/** Answers who holds a credential; `undefined` for every way of being invalid. */
export type Authenticator = {
  /** By the hash of an API key. From memory as a rule. */
  key(hash: string): Promise<KeyCaller | undefined>
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

/** Headers whose key was read a moment ago; agents send the same one with each request. */
const KEYS_READ_MAX = 1000

/**
 * The caller, or `undefined` when a credential was shown and is not valid. With both headers,
 * Authorization alone counts, without fallback (spec: platform §2.1).
 */
export type Authenticate = (req: GuardedRequest) => Promise<Caller | undefined>

export function createAuthenticate(authenticator: Authenticator, clock: Clock): Authenticate {
  const hashes = createCache<string>({ clock, entriesMax: KEYS_READ_MAX, ttlMs: MINUTE_MS })

  const byAuthorization = async (
    req: GuardedRequest,
    header: string,
  ): Promise<Caller | undefined> => {
    const token = bearerToken(header)
    if (token === undefined) return undefined
    if (!token.startsWith('tsk_')) return bySession(req, token, authenticator)
    const hash = keyHash(token)
    if (hash === undefined) return undefined
    hashes.set(header, hash)
    return authenticator.key(hash)
  }

  return async (req) => {
    const { authorization } = req.headers
    if (authorization !== undefined) {
      const known = hashes.get(authorization)
      return known === undefined ? byAuthorization(req, authorization) : authenticator.key(known)
    }
    const key = req.headers['x-service-api-key']
    if (key === undefined) return ANONYMOUS
    const hash = keyHash(String(key))
    return hash === undefined ? undefined : authenticator.key(hash)
  }
}

/** A wrong checksum is refused without a look into the database. */
function keyHash(key: string): string | undefined {
  return isWellFormedApiKey(key) ? tokenHash(key) : undefined
}

function bearerToken(header: string): string | undefined {
  if (header.length > TOKEN_LENGTH_MAX) return undefined
  return /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1]
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
