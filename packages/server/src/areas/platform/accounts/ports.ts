import type { Role } from '../../../access.ts'
import type { Actor } from '../../../audit.ts'
import type { Db } from '../../../kernel/db.ts'

/** A person as the identity feature knows them; erased people are not found. */
export type Person = {
  userId: string
  issuer: string
  email: string | null
  emailVerified: boolean
  name: string | null
}

export type People = {
  find(userId: string): Promise<Person | undefined>
  findIn(tx: Db, userId: string): Promise<Person | undefined>
  findOrCreate(
    tx: Db,
    newcomer: {
      issuer: string
      subject: string
      email: string | null
      emailVerified: boolean
      name: string | null
      isFirst?: boolean
      origin?: { ip: string | null; requestId: string | null }
    },
  ): Promise<Person>
  /** Whether a local account has ever been created, even if it was deleted since. */
  hasFirst(tx: Db): Promise<boolean>
  confirmEmail(tx: Db, userId: string): Promise<void>
  /** Exclusive lock: waits for transactions that hold the person and blocks new ones. */
  lock(tx: Db, userId: string): Promise<void>
  erase(tx: Db, userId: string): Promise<void>
}

export type Invitations = {
  /** Throws `not_found`, `gone`, or `forbidden` if the invitation is for another address. */
  acceptIn(
    tx: Db,
    token: string,
    user: { userId: string; email: string },
    actor: Actor,
  ): Promise<unknown>
  /** Whether the token is that of an e-mail, so that its holder has read mail to the address. */
  isMailed(tx: Db, token: string): Promise<boolean>
  /** Deletes every invitation to the address. */
  deleteFor(tx: Db, email: string): Promise<void>
}

export type Memberships = {
  membershipsOf(
    userId: string,
  ): Promise<{ orgId: string; name: string; role: Role; requiresSecondFactor: boolean }[]>
  /** Throws `last_owner` when an organisation would be left without an owner. */
  leaveAll(tx: Db, userId: string, actor: Actor): Promise<void>
}

export type Mailer = {
  queue(tx: Db, mail: { kind: string; to: string; subject: string; text: string }): Promise<void>
}
