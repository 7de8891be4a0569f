import { Link } from '@tanstack/react-router'
import { COMPONENTS } from '@touchstone/protocol/score'
import { AssuranceMark } from '../../../ui/assurance.tsx'
import { Bar } from '../../../ui/bar.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { GradeMark } from '../../../ui/grade.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { type Compared, type DirectorySearch, useComparison } from './queries.ts'

/** The selected agents side by side. */
export function Comparison({ agentIds }: { agentIds: readonly string[] }) {
  const comparison = useComparison(agentIds)
  return (
    <Card
      title={`Comparing ${agentIds.length} agents`}
      padded={false}
      actions={
        <Link
          to="/directory"
          search={({ compare: _, ...rest }: DirectorySearch) => rest}
          className={buttonClass('quiet')}
        >
          Close
        </Link>
      }
    >
      <Loaded query={comparison}>
        {({ agents }) => (
          <Table
            caption="Score components by agent"
            columns={[COMPONENT_COLUMN, ...agents.map(columnOf)]}
            rows={[{ key: 'score', label: 'Score' }, ...COMPONENTS]}
            keyOf={(row) => row.key}
          />
        )}
      </Loaded>
    </Card>
  )
}

type Row = { key: 'score' | keyof Compared['components']; label: string }

const COMPONENT_COLUMN: Column<Row> = {
  key: 'component',
  label: 'Component',
  cell: (row) => (row.key === 'score' ? <b>{row.label}</b> : row.label),
}

function columnOf(agent: Compared): Column<Row> {
  return {
    key: agent.agent_id,
    label: (
      <span className="flex flex-wrap items-center gap-2 whitespace-nowrap">
        <span className="font-mono">{agent.agent_id}</span>
        <GradeMark grade={agent.grade} />
        <AssuranceMark level={agent.assurance} />
      </span>
    ),
    cell: (row) => {
      const score = row.key === 'score' ? agent.score : agent.components[row.key]
      return (
        <div className="grid min-w-24 gap-1 tabular">
          {row.key === 'score' ? <b>{score ?? '–'}</b> : (score ?? '–')}
          <Bar share={(score ?? 0) / 1000} />
        </div>
      )
    },
  }
}
