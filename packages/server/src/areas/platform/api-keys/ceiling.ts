import type { Role } from '../../../access.ts'

/**
 * Roles an API key can have. No key has role `owner`: an owner's extra permissions are only for
 * people.
 */
export const KEY_ROLES = ['admin', 'auditor', 'member'] as const
export type KeyRole = (typeof KEY_ROLES)[number]

/**
 * The highest role a creator can give a key, so that no key has permissions its creator lacks; an
 * owner's keys are at most admin (spec: platform §2.2).
 */
export function ceilingOf(creator: Role): KeyRole {
  return creator === 'owner' ? 'admin' : creator
}

/**
 * Auditor and member each have permissions the other lacks, so neither ranks below the other; only
 * an admin's ceiling covers all three roles.
 */
export function isUnderCeiling(role: KeyRole, creator: Role): boolean {
  const ceiling = ceilingOf(creator)
  return ceiling === 'admin' || ceiling === role
}
