import type { Db } from '../../../kernel/db.ts'

export type Orgs = {
  /** Undefined for an organisation that does not exist or was deleted. */
  find(db: Db, orgId: string): Promise<{ orgId: string; accountId: string } | undefined>
}
