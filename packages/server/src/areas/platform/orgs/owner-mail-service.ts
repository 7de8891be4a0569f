import type { Db } from '../../../kernel/db.ts'
import type { Mailer, People } from './ports.ts'
import { createOrgStore, type Org } from './store.ts'

export type OwnerMailDeps = { people: People; mailer: Mailer }

/** Writes to every owner, and to the address for invoices. */
export async function mailOwners(
  deps: OwnerMailDeps,
  tx: Db,
  org: Org,
  mail: { kind: string; subject: string; text: string },
): Promise<void> {
  const owners = (await createOrgStore(tx).seats(org.orgId)).filter((s) => s.role === 'owner')
  const emails = await deps.people.emails(
    tx,
    owners.map((seat) => seat.userId),
  )
  const recipients = new Set([...emails.values(), org.billingEmail].filter((to) => to !== null))
  for (const to of recipients) await deps.mailer.queue(tx, { ...mail, to })
}
