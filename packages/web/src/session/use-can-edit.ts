import { useOrgId } from './use-org-id.ts'
import { useMe } from './use-session.ts'

/** The reader's role in the organisation; undefined until it is known. */
export function useRole() {
  const orgId = useOrgId()
  return useMe().data?.orgs.find((org) => org.org_id === orgId)?.role
}

/**
 * True for owners and admins. The service rejects changes by other roles, so their buttons are
 * hidden.
 */
export function useCanEdit(): boolean {
  const role = useRole()
  return role === 'owner' || role === 'admin'
}
