import type { Role } from '../../../access.ts'
import type { Db } from '../../../kernel/db.ts'

export type Organisations = {
  /**
   * The person's current role. Locks the organisation, so that no key is created while the person
   * is being removed or the organisation deleted. Throws `not_found` for a non-member.
   */
  roleIn(tx: Db, orgId: string, userId: string): Promise<Role>
}
