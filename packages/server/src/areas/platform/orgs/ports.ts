import type { Actor } from '../../../audit.ts'
import type { Db } from '../../../kernel/db.ts'

export type People = {
  /** E-mail addresses by user id; people who erased their account are absent. */
  emails(db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, string | null>>
  /** Keeps the person from being erased until the transaction ends; false when they are gone. */
  hold(tx: Db, userId: string): Promise<boolean>
}

/** Each feature that owns an organisation's rows takes part in its end and its return. */
export type OrgFollower = {
  /** At once, in the transaction of the deletion. */
  close?(tx: Db, orgId: string, actor: Actor): Promise<void>
  /** When a deletion is undone. */
  reopen?(tx: Db, orgId: string): Promise<void>
  /** After 30 days, for good. */
  erase?(tx: Db, orgId: string): Promise<void>
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
