import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Actor, personActor } from '../../../audit.ts'
import { type Db, transact } from '../../../kernel/db.ts'

/** Credentials the first start creates; shown once and saved in the data folder. */
export type Credentials = {
  base_url: string
  org_id: string
  email: string
  password: string
  api_key: string
}

type Org = { orgId: string; accountId: string }

export type BootstrapDeps = {
  db: Db
  baseUrl: string
  email: string | undefined
  password: string | undefined
  accounts: {
    hasAny(tx: Db): Promise<boolean>
    createFirst(
      tx: Db,
      account: { email: string; password: string; name: string },
    ): Promise<{ userId: string }>
  }
  orgs: {
    createIn(
      tx: Db,
      actor: Actor,
      fields: {
        name: string
        slug: string
        billingEmail: string | null
        companyName: string | null
      },
    ): Promise<{ org: { orgId: string; accountId: string } }>
  }
  keys: {
    createIn(
      tx: Db,
      org: Org,
      actor: Actor,
      wanted: {
        name: string
        role: 'admin'
        expiresInDays: null
      },
    ): Promise<{ key: string }>
  }
}

const DEFAULT_EMAIL = 'owner@localhost'

/**
 * Creates the owner account, the organisation `default` and one admin key, once per database: an
 * advisory lock serialises nodes that start together. The credentials are saved before the commit,
 * so that no account can exist whose password was never shown to anybody.
 */
export async function firstStart(
  deps: BootstrapDeps,
  save: (credentials: Credentials) => Promise<void>,
): Promise<Credentials | undefined> {
  return transact(deps.db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('first start', 0))`.execute(tx)
    if (await deps.accounts.hasAny(tx)) return undefined
    const email = deps.email ?? DEFAULT_EMAIL
    const password = deps.password ?? randomBytes(15).toString('base64url')
    const { userId } = await deps.accounts.createFirst(tx, { email, password, name: 'Owner' })
    const actor = personActor(userId, { ip: null, requestId: null })
    const { org } = await deps.orgs.createIn(tx, actor, {
      name: 'Default',
      slug: 'default',
      billingEmail: null,
      companyName: null,
    })
    const { key } = await deps.keys.createIn(tx, org, actor, {
      name: 'First key',
      role: 'admin',
      // It is in a file that only the operator can read, and nobody watches for its expiry.
      expiresInDays: null,
    })
    const credentials = {
      base_url: deps.baseUrl,
      org_id: org.orgId,
      email,
      password,
      api_key: key,
    }
    await save(credentials)
    return credentials
  })
}
