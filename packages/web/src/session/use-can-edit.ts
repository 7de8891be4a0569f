import { useOrgId } from './use-org-id.ts'
import { useMe } from './use-session.ts'

/** Owners and admins change things; the service refuses the others, so they are not offered it. */
export function useCanEdit(): boolean {
  const orgId = useOrgId()
  const role = useMe().data?.orgs.find((org) => org.org_id === orgId)?.role
  return role === 'owner' || role === 'admin'
}
