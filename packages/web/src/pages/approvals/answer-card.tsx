import { Link } from '@tanstack/react-router'
import { MemberName } from '../../names/member-name.tsx'
import { useRole } from '../../session/use-can-edit.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { formatDate } from '../../ui/time.tsx'
import { EscalationStatus } from './escalation-status.tsx'
import { type ReviewedEscalation, useEscalations } from './queries.ts'
import { ResolveForm } from './resolve-form.tsx'

type AnswerCardProps = { orgId: string; escalation: ReviewedEscalation }

/** The form to answer, or the answer. */
export function AnswerCard({ orgId, escalation }: AnswerCardProps) {
  const role = useRole()
  const { approval_roles: roles } = escalation
  if (escalation.status !== 'pending') return <AnsweredCard orgId={orgId} escalation={escalation} />
  return (
    <Card title="Answer">
      <div className="grid gap-4">
        <Approvals escalation={escalation} />
        {role !== undefined && roles.some((allowed) => allowed === role) ? (
          <ResolveForm orgId={orgId} escalation={escalation} />
        ) : (
          <p className="text-sm text-ink-soft">
            You cannot answer: the policy allows only the roles {roles.join(', ')}.
          </p>
        )}
      </div>
    </Card>
  )
}

function Approvals({ escalation }: { escalation: ReviewedEscalation }) {
  const { approvals, approvals_required: required } = escalation
  if (required === 1 && approvals.length === 0) return null
  return (
    <div className="grid gap-2 text-sm">
      <p>
        {approvals.length} of {required} approvals
      </p>
      <ul className="grid gap-2 empty:hidden">
        {approvals.map(({ by, at, note }) => (
          <li key={by} className="border-l-2 border-line-strong pl-3 text-ink-soft">
            <MemberName id={by} />, {formatDate(at)}
            {note === null ? null : <p className="break-words">“{note}”</p>}
          </li>
        ))}
      </ul>
    </div>
  )
}

function AnsweredCard({ orgId, escalation }: AnswerCardProps) {
  const { status, resolved_by: by, resolved_at: at } = escalation
  return (
    <Card title="Answer">
      <div className="grid gap-4">
        <Facts
          facts={[
            { label: 'Status', value: <EscalationStatus status={status} /> },
            ...(at === null
              ? [{ label: 'Expired', value: formatDate(escalation.expires_at) }]
              : [
                  { label: 'By', value: <MemberName id={by} /> },
                  { label: 'Time', value: formatDate(at) },
                  { label: 'Note', value: escalation.note ?? 'None' },
                ]),
            ...(status === 'approved' ? usesOf(escalation) : []),
          ]}
        />
        {escalation.approvals_required > 1 ? <Approvals escalation={escalation} /> : null}
        <NextCall orgId={orgId} answeredId={escalation.escalation_id} />
      </div>
    </Card>
  )
}

/** Leads through the queue without going back to it. */
function NextCall({ orgId, answeredId }: { orgId: string; answeredId: string }) {
  const pending = useEscalations(orgId, { status: 'pending', page: 1 })
  const waiting = pending.data?.escalations.filter((one) => one.escalation_id !== answeredId) ?? []
  const next = waiting.at(-1)
  if (next === undefined) return null
  return (
    <Link
      to="/o/$orgId/approvals/$escalationId"
      params={{ orgId, escalationId: next.escalation_id }}
      className={buttonClass('primary', 'max-sm:min-h-11')}
    >
      Review next call
    </Link>
  )
}

function usesOf(escalation: ReviewedEscalation) {
  const { scope, valid_until: until, uses_left: usesLeft, used_at: usedAt } = escalation
  return [
    {
      label: 'Covers',
      value: scope === 'session' ? 'Every call of the tool in the session' : 'This call, once',
    },
    { label: 'Valid until', value: until === null ? 'Unknown' : formatDate(until) },
    { label: 'Uses left', value: usesLeft ?? 'Unknown' },
    { label: 'Last used', value: usedAt === null ? 'Not yet' : formatDate(usedAt) },
  ]
}
