import type { GuardedRequest } from '../access/guarded.ts'
import { limitKey } from './client-address.ts'

/** Longer user agents are cut; nobody reads them. */
const USER_AGENT_MAX = 300

/** The client of a request, for records of sessions and for counting attempts. */
export function deviceOf(req: GuardedRequest) {
  const { 'user-agent': userAgent } = req.headers
  return {
    origin: { ip: req.clientIp, requestId: req.id },
    network: limitKey(req.clientIp),
    userAgent: userAgent?.slice(0, USER_AGENT_MAX).replace(/\p{Cc}/gu, '') ?? null,
  }
}
