import { Link } from '@tanstack/react-router'
import type { Answer } from '@touchstone/sdk'
import { AssuranceMark } from '../../../ui/assurance.tsx'
import { Bar } from '../../../ui/bar.tsx'
import { Button } from '../../../ui/button.tsx'
import { GradeMark, gradeColour } from '../../../ui/grade.tsx'
import { Change, sentenceCase } from '../../../ui/marks.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import type { DirectoryAgent } from './queries.ts'

const COMPARED_MAX = 10

type AgentTableProps = {
  found: Answer<'GET', '/v1/reputation/search'>
  compared: readonly string[]
  onCompare: (agentIds: string[]) => void
  onPage: (page: number) => void
}

export function AgentTable({ found, compared, onCompare, onPage }: AgentTableProps) {
  const toggle = (agentId: string) =>
    onCompare(
      compared.includes(agentId)
        ? compared.filter((one) => one !== agentId)
        : [...compared, agentId].slice(-COMPARED_MAX),
    )
  return (
    <>
      <Table
        caption="Rated agents"
        columns={columnsOf(compared, toggle)}
        rows={found.agents}
        keyOf={(agent) => agent.agent_id}
      />
      <Pages found={found} onPage={onPage} />
    </>
  )
}

function columnsOf(
  compared: readonly string[],
  toggle: (agentId: string) => void,
): Column<DirectoryAgent>[] {
  return [
    { key: 'agent', label: 'Agent', cell: (agent) => <AgentName agent={agent} /> },
    { key: 'grade', label: 'Grade', cell: (agent) => <GradeMark grade={agent.grade} /> },
    { key: 'score', label: 'Score', align: 'right', cell: (agent) => <Score agent={agent} /> },
    {
      key: 'assurance',
      label: 'Assurance',
      cell: (agent) => <AssuranceMark level={agent.assurance} />,
    },
    {
      key: 'trend',
      label: '30 days',
      align: 'right',
      cell: (agent) => <Change points={agent.trend_30d} />,
    },
    {
      key: 'evidence',
      label: 'Checkpoints',
      align: 'right',
      cell: (agent) => agent.checkpoint_count.toLocaleString('en'),
    },
    {
      key: 'gaps',
      label: 'Card gaps',
      align: 'right',
      cell: ({ reclassified: { card_gap: gaps, of } }) => (
        <span
          title="Violations of the last 90 days that were reclassified as gaps in the card"
          className="whitespace-nowrap"
        >
          {of === 0 ? '–' : `${gaps.toLocaleString('en')} of ${of.toLocaleString('en')}`}
        </span>
      ),
    },
    {
      key: 'compare',
      label: 'Compare',
      align: 'right',
      cell: (agent) => (
        <input
          type="checkbox"
          aria-label={`Compare ${agent.agent_name}`}
          checked={compared.includes(agent.agent_id)}
          onChange={() => toggle(agent.agent_id)}
          className="size-4 accent-[var(--accent)]"
        />
      ),
    },
  ]
}

function AgentName({ agent }: { agent: DirectoryAgent }) {
  return (
    <div className="min-w-36">
      <Link
        to="/a/$agentId"
        params={{ agentId: agent.agent_id }}
        className="font-medium hover:underline"
      >
        {agent.agent_name}
      </Link>
      <p className="flex flex-wrap items-center gap-x-2 font-mono text-xs text-ink-faint">
        {agent.agent_id}
        {agent.visibility === 'public' ? null : <Pill>{sentenceCase(agent.visibility)}</Pill>}
      </p>
    </div>
  )
}

function Score({ agent }: { agent: DirectoryAgent }) {
  return (
    <div className="ml-auto grid w-16 gap-1">
      <span className="font-semibold">{agent.score}</span>
      <Bar share={agent.score / 1000} colour={gradeColour(agent.grade)} />
    </div>
  )
}

function Pages({ found, onPage }: Pick<AgentTableProps, 'found' | 'onPage'>) {
  const { page, per_page: perPage, total } = found
  const last = Math.max(1, Math.ceil(total / perPage))
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 border-t border-line px-5 py-3 text-sm text-ink-soft">
      <span className="tabular">
        {total.toLocaleString('en')} {total === 1 ? 'agent' : 'agents'}
        {last > 1 ? `, page ${page} of ${last}` : ''}
      </span>
      {last > 1 ? (
        <span className="flex gap-2">
          <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
            Previous
          </Button>
          <Button disabled={page >= last} onClick={() => onPage(page + 1)}>
            Next
          </Button>
        </span>
      ) : null}
    </div>
  )
}
