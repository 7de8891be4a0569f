import { createSharedCache } from '../../../kernel/cache.ts'
import { type Clock, SECOND_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { createConfigStore } from './config-store.ts'
import type { Plans } from './ports.ts'

/** Cached because every request of a person asks; the TTL bounds the effect of a lost notice. */
const CACHE_TTL_MS = 30 * SECOND_MS
const CACHE_ENTRIES_MAX = 10_000

/** Notice topic that invalidates the cache on every node. */
export const SSO_TOPIC = 'sso'

/** Finds the organisations that enforce their single sign-on, from a cache. */
export function createEnforcement(deps: { db: Db; clock: Clock; notices: Notices; plans: Plans }) {
  const store = createConfigStore(deps.db)
  const limits = { entriesMax: CACHE_ENTRIES_MAX, ttlMs: CACHE_TTL_MS }
  const enforcing = createSharedCache<boolean>({ ...deps, topic: SSO_TOPIC, ...limits })

  const load = async (orgIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const keep = enforcing.beginRead()
    const enforced = new Set(await store.listEnforced(orgIds))
    for (const orgId of orgIds) keep(orgId, enforced.has(orgId))
    return enforced
  }

  /** Leaves out organisations whose plan lost the feature, because nobody could sign in to them. */
  const enforcedOrgs = async (orgIds: readonly string[]): Promise<Set<string>> => {
    const known = new Map(orgIds.map((orgId) => [orgId, enforcing.get(orgId)]))
    const unknown = orgIds.filter((orgId) => known.get(orgId) === undefined)
    const loaded = unknown.length === 0 ? [] : [...(await load(unknown))]
    const found = [...orgIds.filter((orgId) => known.get(orgId)), ...loaded]
    const active = await Promise.all(found.map((orgId) => deps.plans.includesSso(orgId)))
    return new Set(found.filter((_, index) => active[index]))
  }

  return { enforcedOrgs, evict: enforcing.evict }
}
