import { isWellFormedApiKey } from '@touchstone/protocol/identifiers'
import { createCache } from '../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../kernel/clock.ts'
import { tokenHash } from '../../kernel/ids.ts'
import { Problem } from '../../kernel/problem.ts'
import type { GuardedRequest } from '../access/guarded.ts'
import type { Caller, KeyCaller, UserCaller } from './caller.ts'

/** Finds the caller of a credential; undefined if it is invalid for any reason. */
export type Authenticator = {
  /** By the hash of an API key; usually cached. */
  key(hash: string): Promise<KeyCaller | undefined>
  session(token: string): Promise<UserCaller | undefined>
  /** The target of an impersonation, with the permissions that impersonation has. */
  impersonate(admin: UserCaller, token: string): Promise<UserCaller | undefined>
}

const ANONYMOUS: Caller = { kind: 'anonymous' }
const TOKEN_LENGTH_MAX = 8192
const AUTHORIZATION = 'authorization'

/** The same message for every cause, so that it does not reveal which part was wrong. */
export function unauthorized(): Problem {
  return new Problem('unauthorized', 'A valid API key or session token is required.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

/** Cached key hashes by header, because agents send the same header with each request. */
const HASHES_CACHED_MAX = 1000

/**
 * The caller, or undefined if the request has an invalid credential. If both headers are present,
 * only Authorization is used, without fallback (spec: platform §2.1).
 */
export type Authenticate = (req: GuardedRequest) => Promise<Caller | undefined>

export function createAuthenticate(authenticator: Authenticator, clock: Clock): Authenticate {
  const hashes = createCache<string>({ clock, entriesMax: HASHES_CACHED_MAX, ttlMs: MINUTE_MS })

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

/**
 * Node takes the first of several Authorization headers, but a proxy before it may judge another, so
 * the request is ambiguous.
 */
export function assertOneAuthorization({ raw }: GuardedRequest): void {
  let count = 0
  for (let index = 0; index < raw.rawHeaders.length; index += 2) {
    const name = raw.rawHeaders[index]
    if (name?.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) count += 1
  }
  if (count <= 1) return
  throw new Problem('invalid_request', 'Authorization: send this header only once.')
}

/** Rejects a wrong checksum without querying the database. */
function keyHash(key: string): string | undefined {
  return isWellFormedApiKey(key) ? tokenHash(key) : undefined
}

export function bearerToken(header: string): string | undefined {
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
