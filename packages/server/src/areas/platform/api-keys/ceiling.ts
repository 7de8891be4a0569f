import type { Role } from '../../../access.ts'

/** Roles an API key can have; an owner's powers that keys lack are only for people. */
export const KEY_ROLES = ['admin', 'auditor', 'member'] as const
export type KeyRole = (typeof KEY_ROLES)[number]

/** A key never does more than its creator may: an owner counts as admin (04 §2.2). */
export function ceilingOf(creator: Role): KeyRole {
  return creator === 'owner' ? 'admin' : creator
}

/**
 * Auditor and member each may do what the other may not, so neither lies below the other; only an
 * admin's ceiling covers all three.
 */
export function isUnderCeiling(role: KeyRole, creator: Role): boolean {
  const ceiling = ceilingOf(creator)
  return ceiling === 'admin' || ceiling === role
}
