import { Link } from '@tanstack/react-router'
import type { OwnAgent } from '../../session/use-agents.ts'
import { Card } from '../../ui/card.tsx'
import { LEVEL_TONES } from '../../ui/level.ts'
import { sentenceCase } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { AgentSelect } from './agent-select.tsx'
import { ProofStatus } from './proof-status.tsx'
import { type Assessment, useRiskHistory } from './queries.ts'
import { ACTION_TYPES, labelOf } from './risk-options.ts'

type RiskHistoryProps = {
  orgId: string
  agents: readonly OwnAgent[]
  agentId: string
  onAgent: (agentId: string) => void
}

/** Past risk assessments of one agent. */
export function RiskHistory({ orgId, agents, agentId, onAgent }: RiskHistoryProps) {
  const history = useRiskHistory(orgId, agentId)
  return (
    <Card title="Past assessments" padded={false}>
      <div className="max-w-72 px-5 pt-4 pb-2">
        <AgentSelect label="Assessed agent" agents={agents} agentId={agentId} onAgent={onAgent} />
      </div>
      <Loaded query={history}>
        {({ assessments }) =>
          assessments.length === 0 ? (
            <Empty title="No assessments yet">
              Assessments of this agent appear here with their proofs.
            </Empty>
          ) : (
            <Table
              caption="Assessments"
              columns={columnsFor(orgId)}
              rows={assessments}
              keyOf={(row) => row.assessment_id ?? row.created_at}
            />
          )
        }
      </Loaded>
    </Card>
  )
}

function columnsFor(orgId: string): Column<Assessment>[] {
  return [
    {
      key: 'action',
      label: 'Action',
      cell: (row) =>
        row.assessment_id === null ? (
          labelOf(ACTION_TYPES, row.context.action_type)
        ) : (
          <Link
            to="/o/$orgId/risk/$assessmentId"
            params={{ orgId, assessmentId: row.assessment_id }}
            className="underline decoration-line-strong underline-offset-4 hover:decoration-accent"
          >
            {labelOf(ACTION_TYPES, row.context.action_type)}
          </Link>
        ),
    },
    {
      key: 'level',
      label: 'Level',
      cell: (row) => <Pill tone={LEVEL_TONES[row.risk_level]}>{sentenceCase(row.risk_level)}</Pill>,
    },
    {
      key: 'score',
      label: 'Score',
      align: 'right',
      cell: (row) => row.risk_score.toFixed(4),
    },
    { key: 'advice', label: 'Recommendation', cell: (row) => sentenceCase(row.recommendation) },
    { key: 'proof', label: 'Proof', cell: (row) => <ProofStatus status={row.proof_status} /> },
    { key: 'at', label: 'Time', align: 'right', cell: (row) => <Ago at={row.created_at} /> },
  ]
}
