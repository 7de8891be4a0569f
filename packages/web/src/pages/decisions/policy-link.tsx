import { Link } from '@tanstack/react-router'
import { Id } from '../../ui/facts.tsx'
import { usePolicyHistory } from '../policies/queries.ts'
import type { Decision } from './queries.ts'

/**
 * The policy of a decision and its version. A decision names the agent's own policy, if it has one,
 * otherwise that of the organisation; a policy that was deleted since has no page.
 */
export function PolicyLink({ decision }: { decision: Decision }) {
  const { org_id: orgId, agent_id: agentId, policy_id: policyId } = decision
  const ofAgent = usePolicyHistory({ kind: 'agent', id: agentId }, 1)
  const ofOrg = usePolicyHistory({ kind: 'org', id: orgId }, 1)
  if (policyId === null) return 'None'
  const version =
    decision.policy_version === null ? null : <> (version {decision.policy_version})</>
  const isOwn = (history: typeof ofOrg) => history.data?.versions[0]?.id === policyId
  if (isOwn(ofAgent)) {
    return (
      <>
        <Link
          to="/o/$orgId/policies/agents/$agentId"
          params={{ orgId, agentId }}
          className="text-accent underline"
        >
          Agent policy
        </Link>
        {version}
      </>
    )
  }
  if (isOwn(ofOrg)) {
    return (
      <>
        <Link to="/o/$orgId/policies/org" params={{ orgId }} className="text-accent underline">
          Organisation policy
        </Link>
        {version}
      </>
    )
  }
  return (
    <>
      <Id>{policyId}</Id>
      {version}
    </>
  )
}
