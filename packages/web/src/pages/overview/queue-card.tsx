import { Link } from '@tanstack/react-router'
import { escapeInvisible } from '@touchstone/protocol/base'
import { AgentLink } from '../../names/agent-link.tsx'
import { useOrgId } from '../../session/use-org-id.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { type Escalation, usePendingEscalations } from '../approvals/queries.ts'
import { TimeLeft } from '../approvals/time-left-mark.tsx'

/** The calls that wait for a person. */
export function QueueCard({ orgId }: { orgId: string }) {
  const pending = usePendingEscalations(orgId)
  const total = pending.data?.total ?? 0
  return (
    <Card
      title="Approval queue"
      note={total === 0 ? undefined : `${total} ${total === 1 ? 'call waits' : 'calls wait'}`}
      padded={false}
      actions={
        <TextLink to="/o/$orgId/approvals" params={{ orgId }} className="text-sm">
          View queue
        </TextLink>
      }
    >
      <Loaded query={pending}>
        {({ escalations }) =>
          escalations.length === 0 ? (
            <Empty title="No pending approvals">Calls that need a person appear here.</Empty>
          ) : (
            <ul>
              {escalations.map((escalation) => (
                <QueueLine key={escalation.escalation_id} escalation={escalation} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function QueueLine({ escalation }: { escalation: Escalation }) {
  const orgId = useOrgId()
  const { escalation_id: escalationId, agent_id: agentId } = escalation
  const tool = escapeInvisible(escalation.tool)
  return (
    <li className="flex items-start justify-between gap-3 border-b border-line px-5 py-3 text-sm last:border-0">
      <div className="grid min-w-0 gap-0.5">
        <p className="font-mono text-[0.8125rem] font-medium [overflow-wrap:anywhere]">{tool}</p>
        <p className="line-clamp-2 text-ink-soft">{escalation.reason}</p>
        <p className="text-xs text-ink-faint">
          <AgentLink agentId={agentId} /> · <TimeLeft until={escalation.expires_at} />
        </p>
      </div>
      <Link
        to="/o/$orgId/approvals/$escalationId"
        params={{ orgId, escalationId }}
        className={buttonClass('plain')}
      >
        Review<span className="sr-only"> {tool}</span>
      </Link>
    </li>
  )
}
