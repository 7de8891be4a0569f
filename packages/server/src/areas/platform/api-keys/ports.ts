import type { Role } from '../../../access.ts'
import type { Db } from '../../../kernel/db.ts'

export type Organisations = {
  /**
   * The person's role now, with the organisation locked, so that no key is made while they are
   * removed or the organisation ends. Throws `not_found` outside it.
   */
  roleIn(tx: Db, orgId: string, userId: string): Promise<Role>
}
