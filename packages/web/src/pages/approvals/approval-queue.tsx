import { useState } from 'react'
import { useRole } from '../../session/use-can-edit.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { ApprovalLine } from './approval-line.tsx'
import { type Escalation, useEscalations } from './queries.ts'
import { RejectDialog } from './reject-dialog.tsx'

/** The calls that wait for a person, newest first. Several can be rejected together. */
export function ApprovalQueue() {
  const orgId = useOrgId()
  const role = useRole()
  const [page, setPage] = useState(1)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const escalations = useEscalations(orgId, { status: 'pending', page })
  const rows = escalations.data?.escalations ?? []
  const answerable = rows.filter(({ approval_roles: roles }) => roles.some((one) => one === role))
  const selected = answerable.filter(({ escalation_id: id }) => chosen.has(id))
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  return (
    <Card
      title="Approval queue"
      padded={false}
      actions={
        answerable.length < 2 ? undefined : (
          <Button
            tone="quiet"
            className="max-sm:-ml-3"
            onClick={() =>
              setChosen(
                new Set(
                  selected.length === answerable.length
                    ? []
                    : answerable.map(({ escalation_id: id }) => id),
                ),
              )
            }
          >
            {selected.length === answerable.length ? 'Select none' : 'Select all'}
          </Button>
        )
      }
    >
      <Loaded query={escalations}>
        {({ total, per_page: perPage }) => (
          <Paged
            page={page}
            perPage={perPage}
            total={total}
            onPage={setPage}
            empty={
              <Empty title="No pending approvals">
                If a policy escalates a call, the agent waits and the call appears here.
              </Empty>
            }
          >
            <ul>
              {rows.map((row) => {
                const { escalation_id: id } = row
                const isAnswerable = answerable.includes(row)
                const choice = {
                  isChosen: chosen.has(id),
                  onChange: (isChosen: boolean) => choose(id, isChosen),
                }
                return (
                  <ApprovalLine
                    key={id}
                    orgId={orgId}
                    escalation={row}
                    choice={isAnswerable ? choice : undefined}
                  />
                )
              })}
            </ul>
          </Paged>
        )}
      </Loaded>
      <SelectionBar selected={selected} onDone={() => setChosen(new Set())} />
    </Card>
  )
}

type SelectionBarProps = { selected: readonly Escalation[]; onDone: () => void }

/** At the lower edge of the window, so that it is in sight from every line. */
function SelectionBar({ selected, onDone }: SelectionBarProps) {
  const [isOpen, setIsOpen] = useState(false)
  if (selected.length === 0) return null
  return (
    <div className="sticky bottom-0 z-20 flex flex-wrap items-center justify-between gap-3 rounded-b-card border-t border-line bg-surface px-5 py-3">
      <p className="text-sm tabular" role="status">
        {selected.length} selected
      </p>
      <div className="flex gap-2">
        <Button tone="quiet" className="max-sm:min-h-11" onClick={onDone}>
          Clear
        </Button>
        <Button tone="danger" className="max-sm:min-h-11" onClick={() => setIsOpen(true)}>
          Reject selected
        </Button>
      </div>
      <RejectDialog
        open={isOpen}
        escalations={selected}
        onClose={() => setIsOpen(false)}
        onDone={onDone}
      />
    </div>
  )
}
