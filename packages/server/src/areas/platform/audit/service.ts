import type { Audit } from '../../../audit.ts'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import { newId, type OrgId } from '../../../kernel/ids.ts'
import { type AuditExports, createAuditExports } from './export-service.ts'
import { EXPORTED } from './schema.ts'
import { createAuditStore, type EntryFilter, type StoredEntry } from './store.ts'

/** spec: platform §6.3. */
const KEPT_DAYS = 400

export type AuditService = Audit & {
  list(orgId: string, filter: EntryFilter, page: PageRequest): Promise<Page<StoredEntry>>
  exports: AuditExports
  purge(now: Date): Promise<number>
  eraseOrg(tx: Db, orgId: OrgId): Promise<void>
}

export function createAuditService(deps: { db: Db; clock: Clock }): AuditService {
  const store = createAuditStore(deps.db)
  return {
    record: (tx, entry) => createAuditStore(tx).insert(newId('aud'), entry, deps.clock.now()),
    list: store.list,
    exports: createAuditExports(
      (orgId, filter) => (after, limit) => store.listAfter(orgId, filter, { after, limit }),
      EXPORTED,
    ),
    async purge(now) {
      const before = later(now, -KEPT_DAYS * DAY_MS)
      return purgeInPages((rowsMax) =>
        transact(deps.db, (tx) => createAuditStore(tx).deleteBefore(before, rowsMax)),
      )
    },
    eraseOrg: (tx, orgId) => createAuditStore(tx).deleteOfOrg(orgId),
  }
}
