import { createKnown } from '../../../kernel/cache.ts'
import { type Clock, SECOND_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { Plans } from './ports.ts'
import { createSsoStore } from './store.ts'

/** A bound for what word between nodes might miss; asked on every request of every person. */
const KEPT_MS = 30 * SECOND_MS
const KEPT_MAX = 10_000

/** Word of a change, so that no node goes on with what was. */
export const SSO_TOPIC = 'sso'

/** Which organisations insist on their single sign-on, without asking the database each time. */
export function createEnforcement(deps: { db: Db; clock: Clock; notices: Notices; plans: Plans }) {
  const store = createSsoStore(deps.db)
  const limits = { entriesMax: KEPT_MAX, ttlMs: KEPT_MS }
  const enforcing = createKnown<boolean>({ ...deps, topic: SSO_TOPIC, ...limits })

  const load = async (orgIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const keep = enforcing.reading()
    const enforced = new Set(await store.listEnforced(orgIds))
    for (const orgId of orgIds) keep(orgId, enforced.has(orgId))
    return enforced
  }

  /** An organisation whose plan lost the feature must not be locked in front of a dead door. */
  const enforcedOrgs = async (orgIds: readonly string[]): Promise<Set<string>> => {
    const known = new Map(orgIds.map((orgId) => [orgId, enforcing.get(orgId)]))
    const unknown = orgIds.filter((orgId) => known.get(orgId) === undefined)
    const loaded = unknown.length === 0 ? [] : [...(await load(unknown))]
    const found = [...orgIds.filter((orgId) => known.get(orgId)), ...loaded]
    const active = await Promise.all(found.map((orgId) => deps.plans.includesSso(orgId)))
    return new Set(found.filter((_, index) => active[index]))
  }

  return { enforcedOrgs, forget: enforcing.forget }
}
