import { Problem } from '../../kernel/problem.ts'
import type { GuardedRequest } from '../access/guarded.ts'
import { bearerToken } from './authenticate.ts'

/** The header of API keys (spec: platform §2.1), which everything behind the guard reads. */
const KEY_HEADER = 'x-service-api-key'

/**
 * Moves the key of a header named by LEGACY_KEY_HEADERS into the header of API keys. A program that
 * sends different keys would be judged by one of them here and possibly by another in a proxy.
 */
export function adoptLegacyKey(req: GuardedRequest, names: readonly string[]): void {
  const legacy = names.flatMap((name) => req.headers[name] ?? [])
  const key = legacy[0]
  if (key === undefined) return
  const { authorization } = req.headers
  const bearer = authorization === undefined ? undefined : (bearerToken(authorization) ?? '')
  const others = [...legacy, req.headers[KEY_HEADER], bearer].filter((one) => one !== undefined)
  if (others.some((other) => other !== key)) {
    throw new Problem('invalid_request', 'Send only one credential; these headers differ.')
  }
  req.headers[KEY_HEADER] = key
}
