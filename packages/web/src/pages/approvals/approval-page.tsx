import { Link, useParams } from '@tanstack/react-router'
import { Id } from '../../ui/facts.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { AnswerCard } from './answer-card.tsx'
import { ArgumentsCard } from './arguments-card.tsx'
import { CallCard } from './call-card.tsx'
import { EscalationStatus } from './escalation-status.tsx'
import { useEscalation } from './queries.ts'

const FROM = '/o/$orgId/approvals/$escalationId'

/** One escalated call, and the form to answer it. */
export function ApprovalPage() {
  const { orgId, escalationId } = useParams({ from: FROM })
  const escalation = useEscalation(orgId, escalationId)
  return (
    <Page
      title="Approval"
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          Approval
          {escalation.data === undefined ? null : (
            <EscalationStatus status={escalation.data.status} />
          )}
        </span>
      }
      lead={<Id>{escalationId}</Id>}
    >
      <div className="grid gap-6">
        <Link
          to="/o/$orgId/approvals"
          params={{ orgId }}
          className="justify-self-start text-sm text-accent underline"
        >
          All approvals
        </Link>
        <Loaded query={escalation} lines={5}>
          {(found) => (
            <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
              <div className="grid min-w-0 gap-6">
                <CallCard orgId={orgId} escalation={found} />
                <ArgumentsCard escalation={found} />
              </div>
              <AnswerCard orgId={orgId} escalation={found} />
            </div>
          )}
        </Loaded>
      </div>
    </Page>
  )
}
