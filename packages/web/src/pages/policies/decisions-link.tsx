import { Link } from '@tanstack/react-router'
import { useOrgId } from '../../session/use-org-id.ts'
import { buttonClass } from '../../ui/button.tsx'
import type { Owner } from './owner.ts'
import { usePolicyHistory } from './queries.ts'

/** Leads to the decisions that name this policy; nothing if there never was a policy. */
export function DecisionsLink({ owner }: { owner: Owner }) {
  const orgId = useOrgId()
  const policyId = usePolicyHistory(owner, 1).data?.versions[0]?.id
  if (policyId === undefined) return null
  return (
    <Link
      to="/o/$orgId/decisions"
      params={{ orgId }}
      search={{ policy_id: policyId }}
      className={buttonClass()}
    >
      View decisions
    </Link>
  )
}
