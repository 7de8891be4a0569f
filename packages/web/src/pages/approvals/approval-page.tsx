import { useParams } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { SessionTimeline } from '../decisions/session-timeline.tsx'
import { AnswerCard } from './answer-card.tsx'
import { ArgumentsCard } from './arguments-card.tsx'
import { CallCard, OriginCard } from './call-card.tsx'
import { EscalationStatus } from './escalation-status.tsx'
import { PastAnswers } from './past-answers.tsx'
import { useEscalation } from './queries.ts'
import { TimeLeft } from './time-left-mark.tsx'

/** Enough to see what led to the call. */
const MOMENTS_MAX = 12

const FROM = '/o/$orgId/approvals/$escalationId'

/** One escalated call, what is known about it, and the form to answer it. */
export function ApprovalPage() {
  const { orgId, escalationId } = useParams({ from: FROM })
  const escalation = useEscalation(orgId, escalationId)
  const { status, expires_at: until } = escalation.data ?? {}
  return (
    <Page
      title="Approval"
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          Approval
          {status === undefined ? null : <EscalationStatus status={status} />}
          {status === 'pending' && until !== undefined ? (
            <span className="font-sans text-sm font-normal text-ink-soft">
              <TimeLeft until={until} />
            </span>
          ) : null}
        </span>
      }
      actions={
        <TextLink to="/o/$orgId/approvals" params={{ orgId }} className="text-sm">
          All approvals
        </TextLink>
      }
    >
      <Loaded query={escalation} lines={5}>
        {(found) => (
          // The bar with the buttons covers the end of the page on a phone.
          <div className="grid grid-cols-1 items-start gap-6 max-lg:pb-20 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <div className="grid min-w-0 grid-cols-1 gap-6">
              <CallCard escalation={found} />
              <ArgumentsCard escalation={found} />
              <SessionTimeline
                session={{ ...found, org_id: orgId, decided_at: found.created_at }}
                currentId={found.decision_id}
                momentsMax={MOMENTS_MAX}
              />
            </div>
            <div className="grid min-w-0 grid-cols-1 gap-6 lg:sticky lg:top-4">
              <AnswerCard key={found.escalation_id} orgId={orgId} escalation={found} />
              <PastAnswers orgId={orgId} escalation={found} />
              <OriginCard escalation={found} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  )
}
