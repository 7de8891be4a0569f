import { formatApiKey } from '@touchstone/protocol/identifiers'
import { DEFAULT_SCOPES, type KeyClient, type Role, type Scope } from '../../../access.ts'
import type { Actor, Audit } from '../../../audit.ts'
import { createCache, createSharedCache } from '../../../kernel/cache.ts'
import { type Clock, DAY_MS, HOUR_MS, later, MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { type AgentId, newId, type OrgId, randomBase62, tokenHash } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import { ceilingOf, isUnderCeiling, type KeyRole } from './ceiling.ts'
import { expiryOf } from './key-age.ts'
import type { Agents, Organisations } from './ports.ts'
import {
  type ApiKey,
  createKeyStore,
  type KeyMode,
  type KeySelection,
  type Recognised,
} from './store.ts'

/** spec: platform §2.2. */
const ACTIVE_MAX = 50
const PREFIX_LENGTH = 12
/**
 * A revocation notice invalidates the cache on every node; if one is lost, entries expire after
 * this.
 */
const CACHE_TTL_MS = 5 * SECOND_MS
/** The same for credentials of open streams, which are judged every few seconds. */
const STREAM_TTL_MS = 30 * SECOND_MS
const CACHE_ENTRIES_MAX = 10_000
/** `last_used_at` is written at most this often per key. */
const TOUCH_EVERY_MS = MINUTE_MS
const TOPIC = 'api_key'

export type NewKey = {
  name: string
  role: KeyRole | undefined
  /** Default: the default scopes, or those of an agent's key if a key creates it. */
  scopes?: readonly Scope[] | undefined
  /** Null for never; undefined for the default. */
  expiresInDays: number | null | undefined
  client?: KeyClient | undefined
  mode?: KeyMode | undefined
  /** The only agent that the key can be used for. */
  agentId?: string | undefined
  /** In CIDR notation. */
  allowedIps?: readonly string[] | undefined
}

export type KeyChange = {
  mode?: KeyMode | undefined
  allowedIps?: readonly string[] | undefined
}

export type Organisation = { orgId: OrgId; accountId: string }

/**
 * The keys a caller can see: all keys of one organisation, or their own keys in their
 * organisations.
 */
export type Reach = KeySelection

export type KeyWithSecret = { record: ApiKey; key: string }

export type KeyService = ReturnType<typeof createKeyService>

export type KeyDeps = {
  db: Db
  clock: Clock
  audit: Audit
  notices: Notices
  orgs: Organisations
  agents: Agents
  onError(err: unknown): void
}

export function createKeyService(deps: KeyDeps) {
  const store = createKeyStore(deps.db)
  const lookup = createKeyLookup(deps, CACHE_TTL_MS)
  const streamLookup = createKeyLookup(deps, STREAM_TTL_MS)

  return {
    /** The key with this secret hash, unless it is revoked or expired. */
    recognise: lookup.recognise,
    /** The same for the key of an open stream, usually cached. */
    recogniseAgain: streamLookup.recognise,

    create: (org: Organisation, actor: Actor, wanted: NewKey): Promise<KeyWithSecret> =>
      transact(deps.db, (tx) => createIn(deps, tx, org, { actor, ...wanted })),

    /** Creates a key with another key, which can only create keys of agents (spec: decisions §6). */
    createWithKey: (
      org: Organisation,
      maker: { actor: Actor; role: Role; scopes: readonly Scope[] },
      wanted: NewKey,
    ): Promise<KeyWithSecret> => {
      const { actor, role: makerRole } = maker
      assertCannotApprove(maker.scopes)
      const agentKey = toAgentKey(wanted)
      return transact(deps.db, (tx) => createIn(deps, tx, org, { actor, makerRole, ...agentKey }))
    },

    /** Returns the changed key. The caller is an owner or admin. */
    change: (keyId: string, reach: Reach, { actor, ...change }: KeyChange & { actor: Actor }) =>
      transact(deps.db, async (tx): Promise<ApiKey> => {
        const before = await getWithin(tx, keyId, reach)
        const after = {
          ...before,
          mode: change.mode ?? before.mode,
          allowedIps: change.allowedIps ?? before.allowedIps,
        }
        const changes = differencesOf(before, after)
        if (Object.keys(changes).length === 0) return before
        await createKeyStore(tx).update(after)
        await invalidate(deps, tx, [keyId])
        await deps.audit.record(tx, {
          orgId: after.orgId,
          action: 'api_key.changed',
          actor,
          target: { type: 'api_key', id: keyId },
          changes,
        })
        return after
      }),

    /** In the caller's transaction, such as that of the first start. */
    createIn: (tx: Db, org: Organisation, actor: Actor, wanted: NewKey) =>
      createIn(deps, tx, org, { actor, ...wanted }),

    list: (reach: Reach): Promise<ApiKey[]> => store.list(reach),

    assertWithin: async (keyId: string, reach: Reach): Promise<void> =>
      void (await getWithin(deps.db, keyId, reach)),

    async revoke(keyId: string, reach: Reach, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const record = await getWithin(tx, keyId, reach)
        await invalidate(deps, tx, await createKeyStore(tx).revoke({ keyId }, deps.clock.now()))
        await recordChange(deps, tx, 'api_key.revoked', actor, record)
      })
    },

    async rotate(input: {
      keyId: string
      reach: Reach
      actor: Actor
      graceHours: number
    }): Promise<KeyWithSecret> {
      return transact(deps.db, async (tx) => {
        const found = await getWithin(tx, input.keyId, input.reach)
        await assertCeiling(deps, tx, found, input.actor)
        assertOwnApprovals(found, input.actor)
        // Read the key again: assertCeiling has only now locked the organisation.
        const before = await getWithin(tx, input.keyId, input.reach)
        const key = formatApiKey(randomBase62(32))
        const record = { ...before, ...secretFields(key) }
        const keys = createKeyStore(tx)
        await keys.update(record)
        if (input.graceHours > 0) {
          const worksUntil = later(deps.clock.now(), input.graceHours * HOUR_MS)
          await keys.insertFormer(input.keyId, before.hash, worksUntil)
        } else {
          // Without a grace period the secret may have leaked, so all former secrets stop working.
          await keys.deleteFormers(input.keyId)
        }
        await invalidate(deps, tx, [input.keyId])
        await recordChange(deps, tx, 'api_key.rotated', input.actor, record)
        return { record, key }
      })
    },

    /** Revokes the keys a departing member created in the organisation. */
    revokeOf: (tx: Db, seat: { orgId: string; userId: string }, actor: Actor) =>
      revokeAll(deps, tx, { orgId: seat.orgId, createdBy: seat.userId }, actor),

    /** Revokes all keys of a deleted organisation; restoring it does not restore the keys. */
    close: (tx: Db, orgId: OrgId, actor: Actor) => revokeAll(deps, tx, { orgId }, actor),

    erase: (tx: Db, orgId: OrgId) => createKeyStore(tx).deleteOfOrg(orgId),

    /** Revokes the keys of archived agents, whose requests would be rejected anyway. */
    async revokeOfAgents(tx: Db, agentIds: readonly string[]): Promise<void> {
      await invalidate(deps, tx, await createKeyStore(tx).revoke({ agentIds }, deps.clock.now()))
    },

    async eraseOfAgent(tx: Db, agentId: AgentId): Promise<void> {
      await invalidate(deps, tx, await createKeyStore(tx).deleteOfAgent(agentId))
    },
  }
}

async function createIn(
  deps: KeyDeps,
  tx: Db,
  org: Organisation,
  wanted: NewKey & { actor: Actor; makerRole?: Role },
): Promise<KeyWithSecret> {
  const { actor, agentId } = wanted
  const keys = createKeyStore(tx)
  const now = deps.clock.now()
  const creator = wanted.makerRole ?? (await deps.orgs.roleIn(tx, org.orgId, actor.userId))
  const role = wanted.role ?? ceilingOf(creator)
  if (!isUnderCeiling(role, creator)) throw aboveCeiling(creator, role)
  if (wanted.mode === 'observe' && ceilingOf(creator) !== 'admin') {
    throw new Problem('forbidden', 'Only owners and admins can create a key with mode observe.')
  }
  if (agentId !== undefined) await deps.agents.keepOpen(tx, { agentId, orgId: org.orgId })
  else if ((await keys.countActive(org.orgId, now)) >= ACTIVE_MAX) {
    throw new Problem(
      'limit_reached',
      `An organisation can have at most ${ACTIVE_MAX} active keys.`,
    )
  }
  const key = formatApiKey(randomBase62(32))
  const days = expiryOf({ expiresInDays: wanted.expiresInDays, agentId })
  const record: ApiKey = {
    keyId: newId('key'),
    orgId: org.orgId,
    accountId: org.accountId,
    name: wanted.name,
    ...secretFields(key),
    role,
    scopes: wanted.scopes ?? DEFAULT_SCOPES,
    client: wanted.client ?? 'api',
    mode: wanted.mode ?? 'enforce',
    agentId: agentId ?? null,
    allowedIps: wanted.allowedIps ?? [],
    createdBy: actor.userId,
    createdAt: now,
    expiresAt: days === null ? null : later(now, days * DAY_MS),
    lastUsedAt: null,
  }
  await keys.insert(record)
  await recordChange(deps, tx, 'api_key.created', actor, record)
  return { record, key }
}

/** With a key that it created, a key that approves could ask and answer itself. */
function assertCannotApprove(scopes: readonly Scope[]): void {
  if (!scopes.includes('approve')) return
  throw new Problem(
    'forbidden',
    'An API key with the scope approve cannot create keys, because it could approve their calls.',
  )
}

const AGENT_SCOPES: readonly Scope[] = ['decide', 'ingest']

/** The only kind of key that a key can create (spec: decisions §6). */
function toAgentKey(wanted: NewKey): NewKey {
  const { role = 'member', scopes = AGENT_SCOPES, mode = 'enforce', agentId } = wanted
  const isAgentKey = role === 'member' && scopes.every((scope) => AGENT_SCOPES.includes(scope))
  if (agentId !== undefined && isAgentKey && mode === 'enforce') return { ...wanted, role, scopes }
  throw new Problem(
    'forbidden',
    'An API key can only create keys with agent_id, role member, scopes decide and ingest, and mode enforce. Sign in to create others.',
  )
}

function differencesOf(before: ApiKey, after: ApiKey) {
  const [ipsBefore, ipsAfter] = [before.allowedIps.join(', '), after.allowedIps.join(', ')]
  return {
    ...(before.mode === after.mode ? {} : { mode: { from: before.mode, to: after.mode } }),
    ...(ipsBefore === ipsAfter ? {} : { allowed_ips: { from: ipsBefore, to: ipsAfter } }),
  }
}

/** The new secret approves in the name of the key's creator. */
function assertOwnApprovals({ scopes, createdBy }: ApiKey, actor: Actor): void {
  if (!scopes.includes('approve') || createdBy === actor.userId) return
  throw new Problem(
    'forbidden',
    'Only its creator can rotate a key with the scope approve, which approves in their name. Revoke it instead.',
  )
}

async function assertCeiling(deps: KeyDeps, tx: Db, key: ApiKey, actor: Actor): Promise<void> {
  const role = await deps.orgs.roleIn(tx, key.orgId, actor.userId)
  if (!isUnderCeiling(key.role, role)) throw aboveCeiling(role, key.role)
}

function aboveCeiling(creator: Role, role: KeyRole): Problem {
  return new Problem('forbidden', `Your role (${creator}) does not allow a key with role ${role}.`)
}

async function revokeAll(
  deps: KeyDeps,
  tx: Db,
  which: { orgId: string; createdBy?: string },
  actor: Actor,
): Promise<void> {
  const revoked = await createKeyStore(tx).revoke(which, deps.clock.now())
  await invalidate(deps, tx, revoked)
  for (const id of revoked) {
    const target = { type: 'api_key', id }
    await deps.audit.record(tx, { orgId: which.orgId, action: 'api_key.revoked', actor, target })
  }
}

/** Makes every node evict these keys from its cache after commit. */
async function invalidate(deps: KeyDeps, tx: Db, keyIds: readonly string[]): Promise<void> {
  for (const keyId of keyIds) await deps.notices.publish(tx, TOPIC, keyId)
}

function createKeyLookup(deps: KeyDeps, ttlMs: number) {
  const store = createKeyStore(deps.db)
  /**
   * Cached by hash, although change notices carry key ids: any notice keeps a read that is under
   * way from being cached, and `hashesOf` finds the entries to evict.
   */
  const known = createSharedCache<Recognised>({
    clock: deps.clock,
    notices: deps.notices,
    topic: TOPIC,
    entriesMax: CACHE_ENTRIES_MAX,
    ttlMs,
  })
  const hashesOf = new Map<string, string[]>()
  const touched = createCache<true>({
    clock: deps.clock,
    entriesMax: CACHE_ENTRIES_MAX,
    ttlMs: TOUCH_EVERY_MS,
  })

  deps.notices.on(TOPIC, (keyId) => {
    for (const hash of hashesOf.get(keyId) ?? []) known.evict(hash)
    hashesOf.delete(keyId)
  })
  deps.notices.onReset(() => hashesOf.clear())

  const load = async (hash: string): Promise<Recognised | undefined> => {
    const found = await known.load(hash, () => store.findByHash(hash))
    if (found === undefined) return undefined
    if (hashesOf.size >= CACHE_ENTRIES_MAX) hashesOf.clear()
    hashesOf.set(found.keyId, [...(hashesOf.get(found.keyId) ?? []).slice(-3), hash])
    return found
  }

  const touch = (key: ApiKey, now: Date): void => {
    if (touched.get(key.keyId) !== undefined) return
    touched.set(key.keyId, true)
    store.touch(key.keyId, now, later(now, -TOUCH_EVERY_MS)).catch(deps.onError)
  }

  return {
    /** The key with this hash, unless it has expired. */
    async recognise(hash: string): Promise<ApiKey | undefined> {
      const key = known.get(hash) ?? (await load(hash))
      const now = deps.clock.now()
      if (key === undefined || isExpired(key, now)) return undefined
      touch(key, now)
      return key
    },
  }
}

function isExpired({ expiresAt, worksUntil }: Recognised, now: Date): boolean {
  return (expiresAt !== null && expiresAt <= now) || (worksUntil !== null && worksUntil <= now)
}

function secretFields(key: string) {
  return { hash: tokenHash(key), prefix: key.slice(0, PREFIX_LENGTH) }
}

async function getWithin(tx: Db, keyId: string, reach: Reach): Promise<ApiKey> {
  const key = await createKeyStore(tx).find(keyId)
  const isWithin =
    key !== undefined &&
    ('orgId' in reach
      ? key.orgId === reach.orgId
      : key.createdBy === reach.createdBy && reach.orgIds.includes(key.orgId))
  if (!isWithin) throw new Problem('not_found', 'No such API key.')
  return key
}

function recordChange(deps: KeyDeps, tx: Db, action: string, actor: Actor, key: ApiKey) {
  return deps.audit.record(tx, {
    orgId: key.orgId,
    action,
    actor,
    target: { type: 'api_key', id: key.keyId },
    ...(action === 'api_key.created'
      ? { changes: { name: { from: null, to: key.name }, role: { from: null, to: key.role } } }
      : {}),
  })
}
