import { useSession } from '../../../session/use-session.ts'
import { Card } from '../../../ui/card.tsx'
import { TextLink } from '../../../ui/text-link.tsx'
import { PolicyCard } from '../../policies/policy-summary.tsx'
import { useAgent } from './queries.ts'

/** The agent's policy, for members of its organisation; other readers are asked to sign in. */
export function PublicPolicyCard({ agentId }: { agentId: string }) {
  const session = useSession()
  const orgId = useAgent(agentId).data?.org_id
  if (session === undefined) return <SignInPrompt agentId={agentId} />
  return orgId === undefined ? null : <PolicyCard orgId={orgId} agentId={agentId} />
}

function SignInPrompt({ agentId }: { agentId: string }) {
  return (
    <Card title="Policy" note="Tools the agent may call">
      <p className="text-sm text-ink-soft">
        Scores and evidence are public. Policies are visible only to members of the agent’s
        organisation.{' '}
        <TextLink to="/sign-in" search={{ next: `/a/${encodeURIComponent(agentId)}` }}>
          Sign in to view the policy
        </TextLink>
      </p>
    </Card>
  )
}
