import { Link } from '@tanstack/react-router'
import { MemberName } from '../../names/member-name.tsx'
import { Card } from '../../ui/card.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { earlierAnswers } from './earlier-answers.ts'
import { EscalationStatus } from './escalation-status.tsx'
import { type Escalation, type ReviewedEscalation, usePastAnswers } from './queries.ts'

const SHOWN_MAX = 5

type PastAnswersProps = { orgId: string; escalation: ReviewedEscalation }

/** The earlier answers to calls of the same tool by the same agent. */
export function PastAnswers({ orgId, escalation }: PastAnswersProps) {
  const past = usePastAnswers(orgId, escalation)
  return (
    <Card title="Earlier answers" note="To calls of this tool by this agent" padded={false}>
      <Loaded query={past}>
        {({ escalations, total }) => {
          const answered = earlierAnswers(escalations, escalation)
          if (answered.length === 0) {
            return (
              <p className="px-5 py-4 text-sm text-ink-soft">
                {total > escalations.length
                  ? `None among the latest ${escalations.length} calls.`
                  : 'None yet.'}
              </p>
            )
          }
          return (
            <ul className="text-sm">
              {answered.slice(0, SHOWN_MAX).map((one) => (
                <PastAnswer
                  key={one.escalation_id}
                  orgId={orgId}
                  answer={one}
                  isSame={
                    one.arguments_hash !== null && one.arguments_hash === escalation.arguments_hash
                  }
                />
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Card>
  )
}

type PastAnswerProps = { orgId: string; answer: Escalation; isSame: boolean }

function PastAnswer({ orgId, answer, isSame }: PastAnswerProps) {
  const { escalation_id: escalationId, resolved_by: by, resolved_at: at } = answer
  return (
    <li className="relative grid gap-1 border-b border-line px-5 py-3 last:border-0 hover:bg-sunken/50">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <EscalationStatus status={answer.status} />
        {isSame ? <Pill tone="info">Same arguments</Pill> : null}
        {answer.scope === 'session' ? <Pill>For a session</Pill> : null}
        <Link
          to="/o/$orgId/approvals/$escalationId"
          params={{ orgId, escalationId }}
          className="ml-auto text-xs text-ink-soft outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-focus"
        >
          <Ago at={at ?? answer.expires_at} />
        </Link>
      </p>
      {by === null ? null : (
        <p className="text-xs text-ink-soft">
          by <MemberName id={by} />
        </p>
      )}
      {answer.note === null ? null : <p className="break-words">“{answer.note}”</p>}
    </li>
  )
}
