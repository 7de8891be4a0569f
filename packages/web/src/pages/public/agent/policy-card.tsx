import { Link } from '@tanstack/react-router'
import { useSession } from '../../../session/use-session.ts'
import { Card } from '../../../ui/card.tsx'
import { PolicyCard } from '../../policies/policy-summary.tsx'
import { useAgent } from './queries.ts'

/** What it may do is told to its own people only; strangers are told where. */
export function PublicPolicyCard({ agentId }: { agentId: string }) {
  const session = useSession()
  const orgId = useAgent(agentId).data?.org_id
  if (session === undefined) return <SignInPrompt agentId={agentId} />
  return orgId === undefined ? null : <PolicyCard orgId={orgId} agentId={agentId} />
}

function SignInPrompt({ agentId }: { agentId: string }) {
  return (
    <Card title="Policy" note="Which tools it may call.">
      <p className="text-sm text-ink-soft">
        Scores and evidence are for everybody; a policy is for the people of its organisation.{' '}
        <Link
          to="/sign-in"
          search={{ next: `/a/${encodeURIComponent(agentId)}` }}
          className="text-accent underline underline-offset-4"
        >
          Sign in to see it here
        </Link>
      </p>
    </Card>
  )
}
