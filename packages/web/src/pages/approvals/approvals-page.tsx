import { useState } from 'react'
import { useOrgId } from '../../session/use-org-id.ts'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { AlertMenu } from './alert-menu.tsx'
import { ApprovalLine } from './approval-line.tsx'
import { ApprovalQueue } from './approval-queue.tsx'
import { type Escalation, useEscalations } from './queries.ts'

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
      actions={<AlertMenu />}
    >
      <div className="grid grid-cols-1 gap-6">
        <ApprovalQueue />
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
          <AnsweredList key={answered} status={answered} />
        </Card>
      </div>
    </Page>
  )
}

function AnsweredList({ status }: { status: Answered }) {
  const orgId = useOrgId()
  const [page, setPage] = useState(1)
  const escalations = useEscalations(orgId, { status, page })
  return (
    <Loaded query={escalations}>
      {({ escalations: rows, total, per_page: perPage }) => (
        <Paged
          page={page}
          perPage={perPage}
          total={total}
          onPage={setPage}
          empty={<Empty title={NONE[status]} />}
        >
          <ul>
            {rows.map((row) => (
              <ApprovalLine key={row.escalation_id} orgId={orgId} escalation={row} />
            ))}
          </ul>
        </Paged>
      )}
    </Loaded>
  )
}
