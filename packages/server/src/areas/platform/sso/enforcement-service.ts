import { createCache } from '../../../kernel/cache.ts'
import { type Clock, SECOND_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { Plans } from './ports.ts'
import { createSsoStore } from './store.ts'

/** A bound for what word between nodes might miss; asked on every request of every person. */
const KEPT_MS = 30 * SECOND_MS
const KEPT_MAX = 10_000

/** Which organisations insist on their single sign-on, without asking the database each time. */
export function createEnforcement(deps: { db: Db; clock: Clock; notices: Notices; plans: Plans }) {
  const store = createSsoStore(deps.db)
  const cache = createCache<boolean>({ clock: deps.clock, entriesMax: KEPT_MAX, ttlMs: KEPT_MS })
  let changes = 0

  const forget = (orgId: string): void => {
    changes += 1
    cache.delete(orgId)
  }
  deps.notices.on('sso', forget)
  deps.notices.onReset(() => {
    changes += 1
    cache.clear()
  })

  const load = async (orgIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const asked = changes
    const enforced = new Set(await store.listEnforced(orgIds))
    // Word of a change that came while reading may be newer than what was read.
    if (asked === changes) for (const orgId of orgIds) cache.set(orgId, enforced.has(orgId))
    return enforced
  }

  /** An organisation whose plan lost the feature must not be locked in front of a dead door. */
  const enforcedOrgs = async (orgIds: readonly string[]): Promise<Set<string>> => {
    const known = new Map(orgIds.map((orgId) => [orgId, cache.get(orgId)]))
    const unknown = orgIds.filter((orgId) => known.get(orgId) === undefined)
    const loaded = unknown.length === 0 ? [] : [...(await load(unknown))]
    const found = [...orgIds.filter((orgId) => known.get(orgId)), ...loaded]
    const active = await Promise.all(found.map((orgId) => deps.plans.includesSso(orgId)))
    return new Set(found.filter((_, index) => active[index]))
  }

  return { enforcedOrgs, forget }
}
