/** The roles that a sign-in can give, highest first; nobody becomes an owner by signing in. */
export const JOINING_ROLES = ['admin', 'auditor', 'member'] as const
export type JoiningRole = (typeof JOINING_ROLES)[number]

export type RoleMapping = readonly { readonly group: string; readonly role: JoiningRole }[]

/**
 * The highest role that one of the groups is mapped to, otherwise the default role. `undefined`
 * without a mapping: members then keep the role they have.
 */
export function roleOf(
  groups: readonly string[],
  config: { roleMapping: RoleMapping; defaultRole: JoiningRole },
): JoiningRole | undefined {
  if (config.roleMapping.length === 0) return undefined
  const mapped = config.roleMapping
    .filter(({ group }) => groups.includes(group))
    .map(({ role }) => role)
  return JOINING_ROLES.find((role) => mapped.includes(role)) ?? config.defaultRole
}
