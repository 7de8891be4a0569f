import type { Kysely } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { Profile } from './profile.ts'

/** The table this feature owns. Nobody else reads or writes it. */
type IdentityTables = {
  app_user: {
    user_id: string
    issuer: string
    subject: string
    email: string | null
    email_verified: boolean
    name: string | null
    is_first: boolean
    created_at: Date
    updated_at: Date
    erased_at: Date | null
    former_hash: string | null
  }
}

export type Person = Profile & { userId: string; issuer: string; isFirst: boolean }

export type NewPerson = Person & { subject: string; createdAt: Date }

export type IdentityStore = ReturnType<typeof createIdentityStore>

export function createIdentityStore(db: Db) {
  const q = db.withTables<IdentityTables>()
  const people = createPersonQueries(q)
  const erasures = createErasureQueries(q)
  return {
    insert: people.insert,
    find: people.find,
    findByIdentity: people.findByIdentity,
    emails: people.emails,
    lock: people.lock,
    idsOf: people.idsOf,
    setProfile: people.setProfile,
    hasFirst: people.hasFirst,

    subjectOf: erasures.subjectOf,
    erase: erasures.erase,
    erasedAt: erasures.erasedAt,
    eraseFormerHashes: erasures.eraseFormerHashes,
  }
}

function createPersonQueries(q: Kysely<IdentityTables>) {
  const selectUnerased = () => q.selectFrom('app_user').selectAll().where('erased_at', 'is', null)
  return {
    /**
     * Returns false if the identity exists already, even if another node inserts it concurrently.
     */
    async insert(person: NewPerson): Promise<boolean> {
      const result = await q
        .insertInto('app_user')
        .values({
          user_id: person.userId,
          issuer: person.issuer,
          subject: person.subject,
          email: person.email,
          email_verified: person.emailVerified,
          name: person.name,
          is_first: person.isFirst,
          created_at: person.createdAt,
          updated_at: person.createdAt,
          erased_at: null,
          former_hash: null,
        })
        .onConflict((conflict) => conflict.constraint('app_user_identity').doNothing())
        .executeTakeFirst()
      return Number(result.numInsertedOrUpdatedRows ?? 0) === 1
    },

    async find(userId: string): Promise<Person | undefined> {
      const row = await selectUnerased().where('user_id', '=', userId).executeTakeFirst()
      return row && toPerson(row)
    },

    async findByIdentity(issuer: string, subject: string): Promise<Person | undefined> {
      const row = await selectUnerased()
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .executeTakeFirst()
      return row && toPerson(row)
    },

    async emails(userIds: readonly string[]): Promise<Map<string, string | null>> {
      if (userIds.length === 0) return new Map()
      const rows = await q
        .selectFrom('app_user')
        .select(['user_id', 'email'])
        .where('user_id', 'in', [...userIds])
        .where('erased_at', 'is', null)
        .execute()
      return new Map(rows.map((row) => [row.user_id, row.email]))
    },

    async lock(userId: string, mode: 'shared' | 'exclusive'): Promise<boolean> {
      const row = q
        .selectFrom('app_user')
        .select('user_id')
        .where('user_id', '=', userId)
        .where('erased_at', 'is', null)
      const locked = mode === 'shared' ? row.forShare() : row.forUpdate()
      return (await locked.executeTakeFirst()) !== undefined
    },

    /** User ids of all people of an issuer. */
    async idsOf(issuer: string): Promise<string[]> {
      const rows = await q
        .selectFrom('app_user')
        .select('user_id')
        .where('issuer', '=', issuer)
        .where('erased_at', 'is', null)
        .execute()
      return rows.map((row) => row.user_id)
    },

    async setProfile(userId: string, profile: Profile, now: Date): Promise<void> {
      await q
        .updateTable('app_user')
        .set({
          email: profile.email,
          email_verified: profile.emailVerified,
          name: profile.name,
          updated_at: now,
        })
        .where('user_id', '=', userId)
        .where('erased_at', 'is', null)
        .execute()
    },

    async hasFirst(): Promise<boolean> {
      const row = await q
        .selectFrom('app_user')
        .select('user_id')
        .where('is_first', '=', true)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

function createErasureQueries(q: Kysely<IdentityTables>) {
  return {
    async subjectOf(userId: string): Promise<{ issuer: string; subject: string } | undefined> {
      return q
        .selectFrom('app_user')
        .select(['issuer', 'subject'])
        .where('user_id', '=', userId)
        .where('erased_at', 'is', null)
        .forUpdate()
        .executeTakeFirst()
    },

    async erase(userId: string, formerHash: string, now: Date): Promise<void> {
      await q
        .updateTable('app_user')
        .set({
          subject: `erased:${userId}`,
          email: null,
          email_verified: false,
          name: null,
          updated_at: now,
          erased_at: now,
          former_hash: formerHash,
        })
        .where('user_id', '=', userId)
        .execute()
    },

    /** Time of the latest erasure of a person with this former identity. */
    async erasedAt(formerHash: string): Promise<Date | undefined> {
      const row = await q
        .selectFrom('app_user')
        .select('erased_at')
        .where('former_hash', '=', formerHash)
        .orderBy('erased_at', 'desc')
        .executeTakeFirst()
      return row?.erased_at ?? undefined
    },

    async eraseFormerHashes(erasedBefore: Date): Promise<number> {
      const result = await q
        .updateTable('app_user')
        .set({ former_hash: null })
        .where('former_hash', 'is not', null)
        .where('erased_at', '<', erasedBefore)
        .executeTakeFirst()
      return Number(result.numUpdatedRows)
    },
  }
}

function toPerson(row: IdentityTables['app_user']): Person {
  return {
    userId: row.user_id,
    issuer: row.issuer,
    email: row.email,
    emailVerified: row.email_verified,
    name: row.name,
    isFirst: row.is_first,
  }
}
