import { Link } from '@tanstack/react-router'
import { escapeInvisible } from '@touchstone/protocol/base'
import { useState } from 'react'
import { useAgents } from '../../session/use-agents.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { EscalationStatus } from './escalation-status.tsx'
import { type Escalation, useEscalations } from './queries.ts'
import { TimeLeft } from './time-left-mark.tsx'

type Answered = Exclude<Escalation['status'], 'pending'>

const ANSWERED = [
  { value: 'approved', label: 'Approved' },
  { value: 'rejected', label: 'Rejected' },
  { value: 'expired', label: 'Expired' },
] as const satisfies readonly { value: Answered; label: string }[]

const NONE: Record<Answered, string> = {
  approved: 'No approved calls',
  rejected: 'No rejected calls',
  expired: 'No expired requests',
}

/** The approval queue, and below it the approvals that have ended. */
export function ApprovalsPage() {
  const [answered, setAnswered] = useState<Answered>('approved')
  return (
    <Page
      title="Approvals"
      lead="Tool calls that need a person’s approval. The agent waits until one is given."
    >
      <div className="grid gap-6">
        <Card title="Approval queue" padded={false}>
          <ApprovalList key="pending" status="pending" />
        </Card>
        <Card
          title="Answered"
          padded={false}
          actions={
            <Segments
              label="Status"
              value={answered}
              options={ANSWERED}
              onChange={(next) => setAnswered(next)}
            />
          }
        >
          <ApprovalList key={answered} status={answered} />
        </Card>
      </div>
    </Page>
  )
}

function ApprovalList({ status }: { status: Escalation['status'] }) {
  const orgId = useOrgId()
  const [page, setPage] = useState(1)
  const escalations = useEscalations(orgId, { status, page })
  const agents = useAgents()
  const names = new Map(agents.data?.agents.map((agent) => [agent.agent_id, agent.name]))
  return (
    <Loaded query={escalations}>
      {({ escalations: rows, total, per_page: perPage }) => (
        <Paged
          page={page}
          perPage={perPage}
          total={total}
          onPage={setPage}
          empty={
            status === 'pending' ? (
              <Empty title="No pending approvals">
                If a policy escalates a call, the agent waits and the call appears here.
              </Empty>
            ) : (
              <Empty title={NONE[status]} />
            )
          }
        >
          <ul>
            {rows.map((row) => (
              <ApprovalLine
                key={row.escalation_id}
                orgId={orgId}
                escalation={row}
                name={names.get(row.agent_id) ?? row.agent_id}
              />
            ))}
          </ul>
        </Paged>
      )}
    </Loaded>
  )
}

type ApprovalLineProps = { orgId: string; escalation: Escalation; name: string }

function ApprovalLine({ orgId, escalation, name }: ApprovalLineProps) {
  const { escalation_id: escalationId, status, session_id: sessionId } = escalation
  const { approvals_required: required } = escalation
  const isPending = status === 'pending'
  return (
    <li className="grid gap-x-6 gap-y-3 border-b border-line px-5 py-4 last:border-0 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="grid min-w-0 gap-1">
        <p className="break-words">
          <span className="font-medium">{name}</span>{' '}
          <span className="text-ink-soft">{isPending ? 'wants' : 'wanted'} to call</span>{' '}
          <span className="font-mono text-sm font-medium break-all">
            {escapeInvisible(escalation.tool)}
          </span>
        </p>
        <p className="text-sm break-words text-ink-soft">{escalation.reason}</p>
        <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-ink-faint">
          <span>
            Requested <Ago at={escalation.created_at} />
          </span>
          {isPending ? <TimeLeft until={escalation.expires_at} /> : null}
          {required > 1 ? (
            <span>
              {escalation.approvals.length} of {required} approvals
            </span>
          ) : null}
          {sessionId === null ? null : (
            <span className="break-all">
              Session <span className="font-mono">{sessionId}</span>
            </span>
          )}
        </p>
      </div>
      <div className="flex items-start gap-3">
        {isPending ? null : <EscalationStatus status={status} />}
        <Link
          to="/o/$orgId/approvals/$escalationId"
          params={{ orgId, escalationId }}
          className={buttonClass(isPending ? 'primary' : 'plain')}
        >
          {isPending ? 'Review' : 'View'}
          <span className="sr-only">
            {' '}
            {name}, {escapeInvisible(escalation.tool)}
          </span>
        </Link>
      </div>
    </li>
  )
}
