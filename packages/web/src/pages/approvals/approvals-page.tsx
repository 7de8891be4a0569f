import { useState } from 'react'
import { Person } from '../../session/person.tsx'
import { useCanEdit } from '../../session/use-can-edit.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { sentenceCase } from '../../ui/marks.tsx'
import { Page } from '../../ui/page.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Pill, type Tone } from '../../ui/pill.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { type Escalation, useEscalations } from './queries.ts'
import { ResolveDialog } from './resolve-dialog.tsx'

type Filter = Escalation['status'] | 'all'

const OPTIONS = [
  { value: 'pending', label: 'Pending' },
  { value: 'approved', label: 'Approved' },
  { value: 'rejected', label: 'Rejected' },
  { value: 'expired', label: 'Expired' },
  { value: 'all', label: 'All' },
] as const

export function ApprovalsPage() {
  const orgId = useOrgId()
  const [filter, setFilter] = useState<Filter>('pending')
  const [page, setPage] = useState(1)
  const escalations = useEscalations(orgId, {
    status: filter === 'all' ? undefined : filter,
    page,
  })
  const choose = (next: Filter) => {
    setFilter(next)
    setPage(1)
  }
  return (
    <Page
      title="Approvals"
      lead="Tool calls that a policy escalates to a person. An approval is valid for one call."
    >
      <Card
        title={filter === 'pending' ? 'Approval queue' : 'Approvals'}
        padded={false}
        actions={<Segments label="Status" value={filter} options={OPTIONS} onChange={choose} />}
      >
        <Loaded query={escalations}>
          {({ escalations: rows, total, per_page: perPage }) => (
            <Paged
              page={page}
              perPage={perPage}
              total={total}
              onPage={setPage}
              empty={
                <Empty
                  title={filter === 'pending' ? 'No pending approvals' : 'No matching approvals'}
                >
                  {filter === 'pending'
                    ? 'If a policy escalates a call, the agent waits and the call appears here.'
                    : undefined}
                </Empty>
              }
            >
              <ul>
                {rows.map((row) => (
                  <ApprovalLine key={row.escalation_id} orgId={orgId} escalation={row} />
                ))}
              </ul>
            </Paged>
          )}
        </Loaded>
      </Card>
    </Page>
  )
}

function ApprovalLine({ orgId, escalation }: { orgId: string; escalation: Escalation }) {
  const [outcome, setOutcome] = useState<'approve' | 'reject'>()
  const canEdit = useCanEdit()
  const { agent_id: agentId, tool, reason, status } = escalation
  return (
    <li className="grid gap-x-6 gap-y-3 border-b border-line px-5 py-4 last:border-0 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="grid min-w-0 gap-1">
        <p className="break-words">
          <span className="font-mono text-sm font-medium">{agentId}</span>{' '}
          <span className="text-ink-soft">{status === 'pending' ? 'wants' : 'wanted'} to call</span>{' '}
          <span className="font-mono text-sm font-medium">{tool}</span>
        </p>
        <p className="text-sm text-ink-soft">{reason}</p>
        <p className="text-xs text-ink-faint">
          Requested <Ago at={escalation.created_at} />
          {status === 'pending' ? (
            <>
              , expires <Ago at={escalation.expires_at} />
            </>
          ) : null}
          {escalation.session_id === null ? null : ` · session ${escalation.session_id}`}
        </p>
        {escalation.resolved_at === null ? null : <Resolution escalation={escalation} />}
      </div>
      <div className="flex items-start gap-2">
        {status === 'pending' && canEdit ? (
          <>
            <Button onClick={() => setOutcome('reject')}>Reject</Button>
            <Button tone="primary" onClick={() => setOutcome('approve')}>
              Approve
            </Button>
          </>
        ) : (
          <Pill tone={TONES[status]}>{sentenceCase(status)}</Pill>
        )}
      </div>
      <ResolveDialog
        orgId={orgId}
        escalation={escalation}
        outcome={outcome}
        onClose={() => setOutcome(undefined)}
      />
    </li>
  )
}

const TONES: Record<Escalation['status'], Tone> = {
  pending: 'warn',
  approved: 'good',
  rejected: 'bad',
  expired: 'neutral',
}

function Resolution({ escalation }: { escalation: Escalation }) {
  const { note, resolved_by: by, resolved_at: at, used_at: usedAt } = escalation
  return (
    <p className="border-l-2 border-line-strong pl-3 text-sm text-ink-soft">
      {note === null ? 'No reason provided' : `“${note}”`}
      <span className="block text-xs text-ink-faint">
        <Person id={by} />, <Ago at={at} />
        {usedAt === null ? null : (
          <>
            {' '}
            · used <Ago at={usedAt} />
          </>
        )}
      </span>
    </p>
  )
}
