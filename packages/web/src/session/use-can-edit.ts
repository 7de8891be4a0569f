import { useOrgId } from './use-org-id.ts'
import { useMe } from './use-session.ts'

/**
 * True for owners and admins. The service rejects changes by other roles, so their buttons are
 * hidden.
 */
export function useCanEdit(): boolean {
  const orgId = useOrgId()
  const role = useMe().data?.orgs.find((org) => org.org_id === orgId)?.role
  return role === 'owner' || role === 'admin'
}
