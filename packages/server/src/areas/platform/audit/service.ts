import type { Audit } from '../../../audit.ts'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import type { Db, Page, PageRequest } from '../../../kernel/db.ts'
import { newId, type OrgId } from '../../../kernel/ids.ts'
import {
  type PartitionedTable,
  prepareMonths,
  purgeMonths,
} from '../../../postgres/monthly-partitions.ts'
import { type AuditExports, createAuditExports } from './export-service.ts'
import { EXPORTED } from './schema.ts'
import { createAuditStore, type EntryFilter, type StoredEntry } from './store.ts'

/** spec: platform §6.3. */
const KEPT_DAYS = 400

const TABLES: readonly PartitionedTable[] = [
  { name: 'audit_entry', key: 'created_at', holds: 'time' },
]

export type AuditService = Audit & {
  list(orgId: string, filter: EntryFilter, page: PageRequest): Promise<Page<StoredEntry>>
  exports: AuditExports
  /** Creates the partitions of the coming months. */
  prepare(): Promise<void>
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
    prepare: () => prepareMonths(deps.db, TABLES, deps.clock.now()),
    async purge(now) {
      await prepareMonths(deps.db, TABLES, now)
      return purgeMonths(deps.db, TABLES, later(now, -KEPT_DAYS * DAY_MS))
    },
    eraseOrg: (tx, orgId) => createAuditStore(tx).deleteOfOrg(orgId),
  }
}
