import type { Actor } from '../../../audit.ts'
import type { Db } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'

export type People = {
  /** E-mail addresses by user id; people who deleted their account are absent. */
  emails(db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, string | null>>
  /** Shared lock that prevents the person's erasure until the transaction ends; false if erased. */
  hold(tx: Db, userId: string): Promise<boolean>
}

/** Rows of an organisation in other features, changed in the transaction of the organisation. */
export type OwnedRows = {
  close(tx: Db, orgId: OrgId, actor: Actor): Promise<void>
  reopen(tx: Db, orgId: OrgId): Promise<void>
  /** Irreversible, 30 days after the deletion. */
  erase(tx: Db, orgId: OrgId): Promise<void>
}

export type Subscriptions = {
  open(tx: Db, orgId: string): Promise<void>
}

export type Mailer = {
  queue(tx: Db, mail: { kind: string; to: string; subject: string; text: string }): Promise<void>
}

export type Keys = {
  /** Revokes the active keys this person created in the organisation. */
  revokeOf(tx: Db, seat: { orgId: string; userId: string }, actor: Actor): Promise<void>
}

export type SecondFactors = {
  /** Whether the person signs in with a second factor, or with one of another identity provider. */
  has(userId: string): Promise<boolean>
}
