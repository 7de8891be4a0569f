import { useParams } from '@tanstack/react-router'
import { Id } from '../../ui/facts.tsx'
import { DecisionMark } from '../../ui/marks.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { AskedArguments } from './asked-arguments.tsx'
import { AnswerCard, CallCard, ClientCard, OutcomeCard } from './decision-cards.tsx'
import { useDecision } from './queries.ts'
import { ReceiptCard } from './receipt-card.tsx'
import { SessionTimeline } from './session-timeline.tsx'

const FROM = '/o/$orgId/decisions/$decisionId'

/** One decision: the call, the answer and its reasons, what became of it, and the receipt. */
export function DecisionPage() {
  const { orgId, decisionId } = useParams({ from: FROM })
  const decision = useDecision(orgId, decisionId)
  return (
    <Page
      title="Decision"
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          Decision
          {decision.data === undefined ? null : (
            <DecisionMark decision={decision.data.decision} enforced={decision.data.enforced} />
          )}
        </span>
      }
      lead={<Id>{decisionId}</Id>}
    >
      <div className="grid gap-6">
        <TextLink
          to="/o/$orgId/decisions"
          params={{ orgId }}
          className="justify-self-start text-sm"
        >
          All decisions
        </TextLink>
        <Loaded query={decision} lines={5}>
          {(found) => (
            <div className="grid items-start gap-6 lg:grid-cols-2">
              <div className="grid min-w-0 gap-6">
                <AnswerCard decision={found} />
                <CallCard decision={found} />
                <AskedArguments decision={found} />
              </div>
              <div className="grid min-w-0 gap-6">
                <OutcomeCard decision={found} />
                <SessionTimeline session={found} currentId={found.decision_id} />
                <ClientCard decision={found} />
                <ReceiptCard decision={found} />
              </div>
            </div>
          )}
        </Loaded>
      </div>
    </Page>
  )
}
