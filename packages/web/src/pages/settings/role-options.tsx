import { sentenceCase } from '../../ui/marks.tsx'

/** The roles that can be given to new members and keys. An owner is made by another owner. */
export const GIVEN_ROLES = ['member', 'auditor', 'admin'] as const

export function RoleOptions({ roles = GIVEN_ROLES }: { roles?: readonly string[] }) {
  return roles.map((role) => (
    <option key={role} value={role}>
      {sentenceCase(role)}
    </option>
  ))
}
