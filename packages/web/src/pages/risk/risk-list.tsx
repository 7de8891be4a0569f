import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { AgentLinks } from '../../names/agent-link.tsx'
import { useActiveTeams } from '../../session/use-active-teams.ts'
import { Card } from '../../ui/card.tsx'
import { LEVEL_TONES } from '../../ui/level.ts'
import { sentenceCase } from '../../ui/marks.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { ProofStatus } from './proof-status.tsx'
import { type ListedAssessment, RISKS_PER_PAGE, useRiskList } from './queries.ts'
import { ACTION_TYPES, labelOf } from './risk-options.ts'
import { recommendationText } from './risk-words.ts'

type Subject = 'all' | ListedAssessment['subject']

const SUBJECTS = [
  { value: 'all', label: 'All' },
  { value: 'agent', label: 'Agents' },
  { value: 'team', label: 'Teams' },
] as const

/** All assessments that the organisation asked for, newest first. */
export function RiskList({ orgId }: { orgId: string }) {
  const [subject, setSubject] = useState<Subject>('all')
  const [page, setPage] = useState(1)
  const list = useRiskList(orgId, subject === 'all' ? undefined : subject, page)
  const teams = useActiveTeams(orgId).data ?? []
  const teamName = (teamId: string) => teams.find(({ id }) => id === teamId)?.name
  return (
    <Card
      title="Assessments"
      note="Of all agents and teams, newest first"
      padded={false}
      actions={
        <Segments
          label="Assessments of"
          value={subject}
          options={SUBJECTS}
          onChange={(next) => {
            setSubject(next)
            setPage(1)
          }}
        />
      }
    >
      <Loaded query={list} lines={5}>
        {({ assessments, total }) => (
          <Paged
            page={page}
            perPage={RISKS_PER_PAGE}
            total={total}
            onPage={setPage}
            empty={
              <Empty title="No assessments yet">Assessments appear here with their proofs.</Empty>
            }
          >
            <Table
              caption="Assessments"
              columns={columnsFor(orgId, teamName)}
              rows={assessments}
              keyOf={(row) => row.assessment_id}
            />
          </Paged>
        )}
      </Loaded>
    </Card>
  )
}

function columnsFor(
  orgId: string,
  teamName: (teamId: string) => string | undefined,
): Column<ListedAssessment>[] {
  return [
    {
      key: 'action',
      label: 'Action',
      className: 'sm:whitespace-nowrap',
      cell: (row) => (
        <Link
          to="/o/$orgId/risk/$assessmentId"
          params={{ orgId, assessmentId: row.assessment_id }}
          className="underline decoration-line-strong underline-offset-4 hover:decoration-accent"
        >
          {labelOf(ACTION_TYPES, row.action_type)}
        </Link>
      ),
    },
    {
      key: 'subject',
      label: 'Agent or team',
      cell: (row) => {
        const team = row.team_id === null ? undefined : teamName(row.team_id)
        return team ?? <AgentLinks agentIds={row.agent_ids} />
      },
    },
    {
      key: 'level',
      label: 'Risk',
      cell: (row) => (
        <span className="flex items-center gap-2 whitespace-nowrap">
          <Pill tone={LEVEL_TONES[row.risk_level]}>{sentenceCase(row.risk_level)}</Pill>
          <span className="tabular">{row.risk_score.toFixed(2)}</span>
        </span>
      ),
    },
    {
      key: 'advice',
      label: 'Recommendation',
      cell: (row) => recommendationText(row.recommendation),
    },
    {
      key: 'proof',
      label: 'Proof',
      cell: (row) =>
        row.subject === 'team' ? (
          <span className="text-ink-faint" title="Only assessments of single agents are proved">
            –
          </span>
        ) : (
          <ProofStatus status={row.proof_status} />
        ),
    },
    { key: 'at', label: 'Time', align: 'right', cell: (row) => <Ago at={row.created_at} /> },
  ]
}
