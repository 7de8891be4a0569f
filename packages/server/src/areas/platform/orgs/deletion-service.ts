import type { Actor, Audit } from '../../../audit.ts'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, purgeEach, transact } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import { lockLive, noOrg } from './lock-service.ts'
import { primaryOwner } from './membership.ts'
import { mailOwners, type OwnerMailDeps } from './owner-mail-service.ts'
import type { OwnedRows } from './ports.ts'
import { createOrgStore, type OrgView } from './store.ts'

/** A deleted organisation can be restored for this long (spec: platform §6.4). */
export const GRACE_DAYS = 30

export type DeletionDeps = OwnerMailDeps & { db: Db; clock: Clock; audit: Audit; owned: OwnedRows }

/** Deletes, restores and erases organisations. */
export function createDeletions(deps: DeletionDeps) {
  return {
    async delete(orgId: string, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const org = await lockLive(tx, orgId)
        const now = deps.clock.now()
        await createOrgStore(tx).update({ ...org, deletedAt: now, updatedAt: now })
        await deps.owned.close(tx, org.orgId, actor)
        await deps.audit.record(tx, {
          orgId,
          action: 'org.deleted',
          actor,
          target: { type: 'org', id: orgId },
        })
        await mailOwners(deps, tx, org, {
          kind: 'deletion_notice',
          subject: `Organisation ${org.name} was deleted`,
          text: `The organisation "${org.name}" (${orgId}) was deleted. A platform administrator can restore it until ${later(now, GRACE_DAYS * DAY_MS).toISOString()}; after that, all its data is erased.`,
        })
      })
    },

    async restore(orgId: string, actor: Actor): Promise<OrgView> {
      return transact(deps.db, async (tx) => {
        const orgs = createOrgStore(tx)
        const org = await orgs.lock(orgId)
        if (org === undefined) throw noOrg()
        if (org.deletedAt === null)
          throw new Problem('conflict', 'The organisation is not deleted.')
        const seats = await orgs.seats(orgId)
        if (!seats.some((seat) => seat.role === 'owner')) {
          throw new Problem('conflict', 'The organisation has no owner left.')
        }
        const ownerUserId = primaryOwner(seats, org.ownerUserId)
        const after = { ...org, ownerUserId, deletedAt: null, updatedAt: deps.clock.now() }
        await orgs.update(after)
        await deps.owned.reopen(tx, org.orgId)
        await deps.audit.record(tx, {
          orgId,
          action: 'org.restored',
          actor,
          target: { type: 'org', id: orgId },
        })
        return { org: after, role: null, memberCount: await orgs.countMembers(orgId) }
      })
    },

    /** Erases organisations deleted at least 30 days ago; returns how many. */
    async purge(now: Date): Promise<number> {
      const due = await createOrgStore(deps.db).listDeletedBefore(later(now, -GRACE_DAYS * DAY_MS))
      return purgeEach(deps.db, due, async (tx, orgId) => {
        const org = await createOrgStore(tx).lock(orgId)
        // The organisation may have been restored between the list and the lock.
        if (org === undefined || org.deletedAt === null) return false
        await deps.owned.erase(tx, org.orgId)
        await createOrgStore(tx).delete(orgId)
        return true
      })
    },
  }
}
