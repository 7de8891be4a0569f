import type { Db } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createOrgStore, type Org } from './store.ts'

/** Locks the organisation until the transaction ends. Throws if it is deleted. */
export async function lockLive(tx: Db, orgId: string): Promise<Org> {
  const org = await createOrgStore(tx).lock(orgId)
  if (org === undefined || org.deletedAt !== null) throw noOrg()
  return org
}

/** INVARIANT: owners are counted only under the organisation's row lock (spec: platform §4.1). */
export async function lockSeat(tx: Db, orgId: string, userId: string) {
  const org = await lockLive(tx, orgId)
  const seats = await createOrgStore(tx).seats(orgId)
  const seat = seats.find((candidate) => candidate.userId === userId)
  if (seat === undefined) throw noMember()
  return { org, seat, seats }
}

export function noMember(): Problem {
  return new Problem('not_found', 'No such member.')
}

export function noOrg(): Problem {
  return new Problem('not_found', 'No such organisation.')
}
