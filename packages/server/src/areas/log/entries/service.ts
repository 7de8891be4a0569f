import { setImmediate as turn } from 'node:timers/promises'
import { orgTag, recordNonce } from '@touchstone/protocol/log'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import { entryOf, orgOwner, saltOwnerOf } from './entry.ts'
import { type CheckpointRun, createEntryStore, type LoggedRecord } from './entry-store.ts'
import { createPendingStore, type PendingRecord } from './pending-store.ts'
import type { Agents, Log } from './ports.ts'
import { createSalts, type SaltDeps, type Salts } from './salt-service.ts'

export type EntryDeps = SaltDeps & {
  db: Db
  agents: Agents
  log: Log
  decisionRetentionDays: number
}

/** Places of the log that one statement reads. */
const PURGED_MAX = 50_000

/** Entries that are hashed between two turns of the event loop. */
const HASHED_MAX = 32

/** Versions of policies of one organisation that are read at once. */
const POLICIES_MAX = 100_000

/** An entry that has no place in the log yet. */
export type NewEntry = { pendingId: number; entry: Uint8Array }

/** A record with the nonce that opens its entry. */
export type OpenedRecord = LoggedRecord & { nonce: Uint8Array }

export function createEntryService(deps: EntryDeps) {
  const salts = createSalts(deps)
  const entries = createEntryStore(deps.db)
  const pending = createPendingStore(deps.db)
  return {
    countPending: pending.count,
    hasPending: pending.hasAny,
    findPending: pending.find,
    find: entries.find,
    indexesOf: entries.indexesOf,
    listAt: entries.listAt,
    checkpointSpan: entries.checkpointSpan,

    /** The checkpoints of these agents that have an entry in a range of the log; see the store. */
    checkpointRuns: (
      tx: Db,
      agentIds: readonly string[],
      range: { from: number; to: number },
    ): Promise<CheckpointRun[]> => createEntryStore(tx).checkpointRuns(agentIds, range),

    /** Forgets which decisions and outcomes old entries are about, as those are deleted themselves. */
    async purge(now: Date): Promise<number> {
      const end = await deps.log.sizeAt(later(now, -deps.decisionRetentionDays * DAY_MS))
      let total = 0
      for (let from = 0; from < end; from += PURGED_MAX) {
        total += await entries.deleteBetween(
          ['decisions', 'outcome'],
          from,
          Math.min(from + PURGED_MAX, end),
        )
      }
      return total
    },
    saltOfDeployment: (): Promise<Uint8Array> => salts.ofDeployment(deps.db),

    /**
     * The oldest records as entries, in order; call `settled` after the commit. Records that are in the
     * log already leave the queue.
     */
    prepare: (tx: Db, limit: number): Promise<Prepared> => prepare(deps, salts, tx, limit),

    /** Removes records from the queue: they are in the log now, from this index on. */
    settle: (tx: Db, pendingIds: readonly number[], firstIndex: number): Promise<void> =>
      createEntryStore(tx).take(pendingIds, firstIndex),

    /** The tags of an organisation by month; none before it has its first entry. */
    async orgTags(orgId: string, months: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const salt = await salts.find(deps.db, { kind: 'org', id: orgId })
      if (salt === undefined) return new Map()
      return new Map(months.map((month) => [month, orgTag(salt, month)]))
    },

    /** Opens the entries at these places whose records still exist, in the order of the log. */
    openAt: async (indexes: readonly number[]): Promise<OpenedRecord[]> =>
      openAll(deps.db, salts, await entries.listAt(indexes)),

    /** Every version of a policy of the organisation that is in the log. */
    policiesOf: async (orgId: string): Promise<OpenedRecord[]> =>
      openAll(deps.db, salts, await entries.listPolicies(orgId, POLICIES_MAX)),

    /** Undefined after the salt was erased. */
    async open(logged: LoggedRecord): Promise<OpenedRecord | undefined> {
      const salt = await salts.find(deps.db, saltOwnerOf(logged.type, logged))
      return salt && { ...logged, nonce: recordNonce(salt, logged) }
    },

    async eraseAgent(tx: Db, agentId: AgentId): Promise<void> {
      await createPendingStore(tx).awaitPreparation()
      await createPendingStore(tx).deleteOfAgent(agentId)
      await createEntryStore(tx).deleteOfAgent(agentId)
      await salts.eraseAgent(tx, agentId)
    },

    async eraseOrg(tx: Db, orgId: OrgId): Promise<void> {
      await createPendingStore(tx).awaitPreparation()
      await createPendingStore(tx).deleteOfOrg(orgId)
      await createEntryStore(tx).deleteOfOrg(orgId)
      await salts.eraseOrg(tx, orgId)
    },
  }
}

/** Without those whose salt was erased. Reads each salt once. */
async function openAll(
  db: Db,
  salts: Salts,
  logged: readonly LoggedRecord[],
): Promise<OpenedRecord[]> {
  const read = new Map<string, Uint8Array | undefined>()
  const opened: OpenedRecord[] = []
  for (const one of logged) {
    const owner = saltOwnerOf(one.type, one)
    const key = JSON.stringify(owner)
    if (!read.has(key)) read.set(key, await salts.find(db, owner))
    const salt = read.get(key)
    if (salt !== undefined) opened.push({ ...one, nonce: recordNonce(salt, one) })
  }
  return opened
}

export type Prepared = {
  entries: readonly NewEntry[]
  /** How many records were read, with those that are in the log already. */
  read: number
  settled(): void
}

async function prepare(
  { agents }: EntryDeps,
  salts: Salts,
  tx: Db,
  limit: number,
): Promise<Prepared> {
  const store = createPendingStore(tx)
  await store.excludeErasure()
  const listed = await store.list(limit)
  const { fresh, repeated } = withoutRepeated(listed)
  if (repeated.length > 0) await store.delete(repeated)
  const orgs = await agents.orgsOf(tx, [
    ...new Set(fresh.flatMap(({ orgId, agentId }) => (orgId === null ? (agentId ?? []) : []))),
  ])
  const reader = salts.reader(tx)
  const tags = createOrgTags()
  const entries: NewEntry[] = []
  for (const [n, one] of fresh.entries()) {
    if (n % HASHED_MAX === HASHED_MAX - 1) await turn()
    const orgId = one.orgId ?? orgs.get(one.agentId ?? '') ?? null
    const owner = saltOwnerOf(one.type, { ...one, orgId })
    const salt = await reader.get(owner)
    const orgSalt = await reader.get(orgOwner(orgId) ?? owner)
    const org = tags.of(orgId, orgSalt, one.at)
    entries.push({ pendingId: one.pendingId, entry: entryOf(one, { salt, org }) })
  }
  return { entries, read: listed.length, settled: reader.settled }
}

/** Most entries of a round share the organisation and the month. */
function createOrgTags() {
  const known = new Map<string, string>()
  return {
    of(orgId: string | null, orgSalt: Uint8Array, at: Date): string {
      const text = at.toISOString()
      const key = `${orgId} ${text.slice(0, 'YYYY-MM'.length)}`
      const tag = known.get(key) ?? orgTag(orgSalt, text)
      known.set(key, tag)
      return tag
    },
  }
}

/** A record that was queued twice has one entry. */
function withoutRepeated(listed: readonly PendingRecord[]) {
  const fresh = new Map<string, PendingRecord>()
  const repeated: number[] = []
  for (const one of listed) {
    const key = `${one.type} ${one.recordId}`
    if (one.isLogged || fresh.has(key)) repeated.push(one.pendingId)
    else fresh.set(key, one)
  }
  return { fresh: [...fresh.values()], repeated }
}
