import { escapeInvisible } from '@touchstone/protocol/base'
import { AgentLink } from '../../names/agent-link.tsx'
import { MemberName } from '../../names/member-name.tsx'
import { Card } from '../../ui/card.tsx'
import { Facts, Id } from '../../ui/facts.tsx'
import { formatDate } from '../../ui/time.tsx'
import { DecisionLink } from '../decisions/decision-link.tsx'
import { Justification } from './justification.tsx'
import type { ReviewedEscalation } from './queries.ts'

/** The call, why a person is needed, and what the agent says about it. */
export function CallCard({ escalation }: { escalation: ReviewedEscalation }) {
  const { rule, justification } = escalation
  return (
    <Card>
      <div className="grid grid-cols-1 gap-5">
        <p className="text-[1.0625rem] leading-snug break-words">
          <AgentLink agentId={escalation.agent_id} className="font-semibold" />{' '}
          <span className="text-ink-soft">
            {escalation.status === 'pending' ? 'wants to call' : 'wanted to call'}
          </span>{' '}
          <span className="font-mono text-[0.9375rem] font-semibold [overflow-wrap:anywhere]">
            {escapeInvisible(escalation.tool)}
          </span>
        </p>
        <div className="grid gap-1 border-l-2 border-warn pl-3">
          <p className="text-xs font-medium text-warn">Why approval is needed</p>
          <p className="break-words">{rule?.reason ?? escalation.reason}</p>
          {rule === null ? null : (
            <p className="font-mono text-[0.8125rem] break-words text-ink-soft">{rule.condition}</p>
          )}
        </div>
        <Justification text={justification} />
      </div>
    </Card>
  )
}

/** Where the call comes from. */
export function OriginCard({ escalation }: { escalation: ReviewedEscalation }) {
  return (
    <Card title="Request">
      <Facts
        facts={[
          { label: 'Requested', value: formatDate(escalation.created_at) },
          { label: 'Requested by', value: <MemberName id={escalation.requested_by} /> },
          { label: 'Session', value: <Id>{escalation.session_id}</Id> },
          { label: 'Transaction', value: <Id>{escalation.transaction_id}</Id> },
          { label: 'Decision', value: <DecisionLink decisionId={escalation.decision_id} /> },
          { label: 'Approval', value: <Id>{escalation.escalation_id}</Id> },
        ]}
      />
    </Card>
  )
}
