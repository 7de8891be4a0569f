import { Link } from '@tanstack/react-router'
import { escapeInvisible } from '@touchstone/protocol/base'
import { Person } from '../../session/person.tsx'
import { useAgents } from '../../session/use-agents.ts'
import { Card } from '../../ui/card.tsx'
import { Facts, Id } from '../../ui/facts.tsx'
import { formatDate } from '../../ui/time.tsx'
import { DecisionLink } from '../decisions/decision-link.tsx'
import type { ReviewedEscalation } from './queries.ts'

type CallCardProps = { orgId: string; escalation: ReviewedEscalation }

/** The call, who asked for it and why a person is needed. */
export function CallCard({ orgId, escalation }: CallCardProps) {
  const { agent_id: agentId, rule } = escalation
  const agents = useAgents()
  const name = agents.data?.agents.find((agent) => agent.agent_id === agentId)?.name ?? agentId
  return (
    <Card title="Call">
      <Facts
        facts={[
          {
            label: 'Agent',
            value: (
              <Link
                to="/o/$orgId/agents/$agentId"
                params={{ orgId, agentId }}
                className="text-accent underline"
              >
                {name}
              </Link>
            ),
          },
          { label: 'Tool', value: <Id>{escapeInvisible(escalation.tool)}</Id> },
          { label: 'Reason', value: rule?.reason ?? escalation.reason },
          {
            label: 'Rule',
            value:
              rule === null ? (
                'Unknown'
              ) : (
                <span className="font-mono text-[0.8125rem]">{rule.condition}</span>
              ),
          },
          { label: 'Justification', value: <Justification text={escalation.justification} /> },
          { label: 'Requested', value: formatDate(escalation.created_at) },
          { label: 'Requested by', value: <Person id={escalation.requested_by} /> },
          { label: 'Session', value: <Id>{escalation.session_id}</Id> },
          { label: 'Transaction', value: <Id>{escalation.transaction_id}</Id> },
          { label: 'Decision', value: <DecisionLink decisionId={escalation.decision_id} /> },
        ]}
      />
    </Card>
  )
}

/** Marked as a claim, because the agent may say anything to be approved. */
function Justification({ text }: { text: string | null }) {
  if (text === null) return 'None given'
  return (
    <>
      <blockquote className="border-l-2 border-line-strong pl-3 font-serif break-words whitespace-pre-wrap italic">
        {escapeInvisible(text)}
      </blockquote>
      <p className="mt-1 text-xs text-ink-faint">The agent’s own words, which nobody checked</p>
    </>
  )
}
