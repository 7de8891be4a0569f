import type { Role } from '../../../access.ts'
import type { Db } from '../../../kernel/db.ts'

export type Organisations = {
  find(db: Db, orgId: string): Promise<{ orgId: string; name: string } | undefined>
  /** The person's current role. Locks the organisation; throws `not_found` for a non-member. */
  roleIn(tx: Db, orgId: string, userId: string): Promise<Role>
  listMembers(orgId: string): Promise<{ email: string | null }[]>
  /** Throws `conflict` if the person is a member already. */
  join(
    tx: Db,
    seat: { orgId: string; userId: string; role: Role },
  ): Promise<{ orgId: string; name: string }>
  listOfUser(
    userId: string,
  ): Promise<{ org: { orgId: string; name: string; ownerUserId: string } }[]>
}

export type Plans = {
  isPaid(orgId: string): Promise<boolean>
}

export type Mailer = {
  queue(tx: Db, mail: { kind: string; to: string; subject: string; text: string }): Promise<void>
}
