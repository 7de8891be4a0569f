import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useCanEdit } from '../../session/use-can-edit.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { DemoLabel } from '../../ui/demo-label.tsx'
import { GradeMark } from '../../ui/grade.tsx'
import { sentenceCase } from '../../ui/marks.tsx'
import { Page } from '../../ui/page.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { CreateTeamDialog } from './create-team-dialog.tsx'
import { type Team, useTeamReputation, useTeams } from './queries.ts'

const STATUSES = [
  { value: 'active', label: 'Active' },
  { value: 'archived', label: 'Archived' },
] as const

export function TeamsPage() {
  const orgId = useOrgId()
  const [status, setStatus] = useState<Team['status']>('active')
  const [page, setPage] = useState(1)
  const [creating, setCreating] = useState(false)
  const teams = useTeams(orgId, { status, page })
  const canEdit = useCanEdit()
  const choose = (next: Team['status']) => {
    setStatus(next)
    setPage(1)
  }
  const create = (
    <Button tone="primary" onClick={() => setCreating(true)}>
      Create team
    </Button>
  )
  return (
    <Page
      title="Teams"
      lead="Groups of agents that work together: where their values diverge, and the risk that follows."
      actions={canEdit ? create : undefined}
    >
      <Card
        title="Teams"
        padded={false}
        actions={<Segments label="Status" value={status} options={STATUSES} onChange={choose} />}
      >
        <Loaded query={teams}>
          {({ teams: rows, total, per_page: perPage }) => (
            <Paged
              page={page}
              perPage={perPage}
              total={total}
              onPage={setPage}
              empty={
                <Empty title={status === 'active' ? 'No teams yet' : 'No archived teams'}>
                  {status === 'active'
                    ? 'A team has two or more agents, and its own card, policy and score.'
                    : undefined}
                </Empty>
              }
            >
              <Table
                caption="Teams"
                columns={columnsFor(orgId)}
                rows={rows}
                keyOf={(row) => row.id}
              />
            </Paged>
          )}
        </Loaded>
      </Card>
      <CreateTeamDialog orgId={orgId} open={creating} onClose={() => setCreating(false)} />
    </Page>
  )
}

function columnsFor(orgId: string): Column<Team>[] {
  return [
    {
      key: 'name',
      label: 'Team',
      cell: (row) => (
        <div className="min-w-40">
          <Link
            to="/o/$orgId/teams/$teamId"
            params={{ orgId, teamId: row.id }}
            className="font-medium underline decoration-line-strong underline-offset-4 hover:decoration-accent"
          >
            {row.name}
          </Link>{' '}
          <DemoLabel id={row.id} name={row.name} />
          {row.description === null ? null : <p className="text-ink-soft">{row.description}</p>}
        </div>
      ),
    },
    { key: 'grade', label: 'Grade', cell: (row) => <TeamGrade teamId={row.id} /> },
    { key: 'members', label: 'Members', align: 'right', cell: (row) => row.member_count },
    { key: 'visibility', label: 'Visibility', cell: (row) => sentenceCase(row.visibility) },
    { key: 'at', label: 'Created', align: 'right', cell: (row) => <Ago at={row.created_at} /> },
  ]
}

function TeamGrade({ teamId }: { teamId: string }) {
  const { data } = useTeamReputation(teamId)
  return data === undefined ? null : <GradeMark grade={data.grade} />
}
