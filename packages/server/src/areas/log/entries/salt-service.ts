import { randomBytes } from 'node:crypto'
import { createSharedCache } from '../../../kernel/cache.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import type { SaltOwner } from './entry.ts'
import { createSaltStore } from './salt-store.ts'

export type SaltDeps = { clock: Clock; notices: Notices; secrets: SecretBox }

const SALT_BYTES = 32
const TOPIC = 'log_salt'
const CACHED_MAX = 20_000
const CACHED_MS = 60 * 60 * 1000

export type Salts = ReturnType<typeof createSalts>

/** Salts of entries. Deleting one makes its entries unreadable for good. */
export function createSalts(deps: SaltDeps) {
  const cache = createSharedCache<Uint8Array>({
    clock: deps.clock,
    notices: deps.notices,
    topic: TOPIC,
    entriesMax: CACHED_MAX,
    ttlMs: CACHED_MS,
  })

  const open = (owner: SaltOwner, sealed: string): Uint8Array =>
    Buffer.from(deps.secrets.open(sealed, purposeOf(owner)), 'base64')

  const find = async (db: Db, owner: SaltOwner): Promise<Uint8Array | undefined> => {
    const sealed = await createSaltStore(db).find(owner)
    return sealed === undefined ? undefined : open(owner, sealed)
  }

  const create = async (tx: Db, owner: SaltOwner): Promise<Uint8Array> => {
    const salt = randomBytes(SALT_BYTES).toString('base64')
    const sealed = deps.secrets.seal(salt, purposeOf(owner))
    await createSaltStore(tx).insert(owner, sealed, deps.clock.now())
    const stored = await find(tx, owner)
    if (stored === undefined) throw new Error(`the salt of ${keyOf(owner)} was not stored`)
    return stored
  }

  return {
    /** The salt as it is stored; undefined after an erasure. */
    find,

    /** The salt of the deployment, which is created at the first start. */
    ofDeployment: async (db: Db): Promise<Uint8Array> =>
      (await find(db, DEPLOYMENT)) ?? (await create(db, DEPLOYMENT)),

    /**
     * Reads salts within a transaction and creates missing ones. `settled` is called after the commit,
     * because salts that are rolled back must not be cached.
     */
    reader(tx: Db) {
      const cacheIt = cache.beginRead()
      const read = new Map<string, Uint8Array>()
      return {
        async get(owner: SaltOwner): Promise<Uint8Array> {
          const key = keyOf(owner)
          const known = read.get(key) ?? cache.get(key)
          if (known !== undefined) return known
          const salt = (await find(tx, owner)) ?? (await create(tx, owner))
          read.set(key, salt)
          return salt
        },
        settled(): void {
          for (const [key, salt] of read) cacheIt(key, salt)
        },
      }
    },

    async eraseAgent(tx: Db, agentId: AgentId): Promise<void> {
      await createSaltStore(tx).deleteOfAgent(agentId)
      await cache.invalidate(tx, keyOf({ kind: 'agent', id: agentId }))
    },

    async eraseOrg(tx: Db, orgId: OrgId): Promise<void> {
      await createSaltStore(tx).deleteOfOrg(orgId)
      await cache.invalidate(tx, keyOf({ kind: 'org', id: orgId }))
    },
  }
}

const DEPLOYMENT: SaltOwner = { kind: 'deployment' }

function keyOf(owner: SaltOwner): string {
  return owner.kind === 'deployment' ? owner.kind : `${owner.kind} ${owner.id}`
}

/** Names the owner, so that a salt cannot be moved to another one. */
function purposeOf(owner: SaltOwner): string {
  return `log_salt ${keyOf(owner)}`
}
