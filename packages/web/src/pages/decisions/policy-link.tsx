import { Id } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import type { Owner } from '../policies/owner.ts'
import { usePolicyHistory } from '../policies/queries.ts'
import type { Decision } from './queries.ts'

/**
 * The owner of the policy that a decision names: the agent, if it has its own, otherwise the organisation.
 * Undefined while that is not known, and for a policy that was deleted since.
 */
export function usePolicyOwner(decision: Decision): Owner | undefined {
  const { org_id: orgId, agent_id: agentId, policy_id: policyId } = decision
  const ofAgent = usePolicyHistory({ kind: 'agent', id: agentId }, 1)
  const ofOrg = usePolicyHistory({ kind: 'org', id: orgId }, 1)
  if (policyId === null) return undefined
  const isIn = ({ data }: typeof ofOrg) => data?.versions[0]?.id === policyId
  if (isIn(ofAgent)) return { kind: 'agent', id: agentId }
  return isIn(ofOrg) ? { kind: 'org', id: orgId } : undefined
}

/** The policy of a decision and its version; a policy that was deleted since has no page. */
export function PolicyLink({ decision }: { decision: Decision }) {
  const { org_id: orgId, agent_id: agentId, policy_id: policyId } = decision
  const owner = usePolicyOwner(decision)
  if (policyId === null) return 'None'
  const version =
    decision.policy_version === null ? null : <> (version {decision.policy_version})</>
  if (owner?.kind === 'agent') {
    return (
      <>
        <TextLink to="/o/$orgId/policies/agents/$agentId" params={{ orgId, agentId }}>
          Agent policy
        </TextLink>
        {version}
      </>
    )
  }
  if (owner?.kind === 'org') {
    return (
      <>
        <TextLink to="/o/$orgId/policies/org" params={{ orgId }}>
          Organisation policy
        </TextLink>
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
