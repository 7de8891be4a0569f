import type { Role } from '../../../access.ts'
import type { Actor, Audit } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { lockSeat } from './lock-service.ts'
import { createOrgStore } from './store.ts'

/**
 * Sets the role of a member by rule instead of by a person, such as from the groups of their identity
 * provider. Owners keep their role: only owners decide about owners, and the organisation
 * must never lose its last one.
 */
export async function assignRole(
  deps: { clock: Clock; audit: Audit },
  tx: Db,
  input: { orgId: string; userId: string; role: Role; actor: Actor },
): Promise<void> {
  const { orgId, userId, role, actor } = input
  const { seat } = await lockSeat(tx, orgId, userId)
  if (seat.role === 'owner' || seat.role === role) return
  await createOrgStore(tx).setRole(orgId, userId, role, deps.clock.now())
  await deps.audit.record(tx, {
    orgId,
    action: 'member.role_changed',
    actor,
    target: { type: 'user', id: userId },
    changes: { role: { from: seat.role, to: role } },
  })
}
