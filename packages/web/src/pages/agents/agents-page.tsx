import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { AssuranceMark } from '../../ui/assurance.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Input, Select } from '../../ui/field.tsx'
import { GradeMark } from '../../ui/grade.tsx'
import { PlusIcon } from '../../ui/icons.tsx'
import { Change, State } from '../../ui/marks.tsx'
import { Page } from '../../ui/page.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { AGENTS_PER_PAGE, type Agent, useAgents, useScores } from './queries.ts'
import type { AgentsSearch } from './search.ts'

const FROM = '/o/$orgId/agents'

export function AgentsPage() {
  const { orgId } = useParams({ from: '/o/$orgId/agents' })
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const agents = useAgents(orgId, search)
  const filtered = search.q !== undefined || search.status !== undefined
  return (
    <Page
      title="Agents"
      lead="The agents your organisation is responsible for, with their scores and status."
      actions={
        <Link to="/o/$orgId/agents/new" params={{ orgId }} className={buttonClass('primary')}>
          <PlusIcon /> Register agent
        </Link>
      }
    >
      <Filters />
      <Card padded={false}>
        <Loaded query={agents} lines={5}>
          {(found) => (
            <Paged
              page={found.page}
              perPage={AGENTS_PER_PAGE}
              total={found.total}
              onPage={(page) => void navigate({ search: { ...search, page } })}
              empty={<NoAgents filtered={filtered} orgId={orgId} />}
            >
              <AgentTable orgId={orgId} agents={found.agents} />
            </Paged>
          )}
        </Loaded>
      </Card>
    </Page>
  )
}

function Filters() {
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const set = (changes: AgentsSearch) =>
    void navigate({ search: { ...search, page: undefined, ...changes }, replace: true })
  return (
    <div className="mb-3 flex flex-wrap gap-2">
      <Input
        type="search"
        aria-label="Search agents"
        placeholder="Name or ID"
        className="sm:max-w-72"
        defaultValue={search.q ?? ''}
        onChange={(event) => set({ q: event.target.value || undefined })}
      />
      <Select
        aria-label="Status"
        className="sm:max-w-44"
        value={search.status ?? ''}
        // The value is one of the options below.
        onChange={(event) =>
          set({ status: (event.target.value || undefined) as AgentsSearch['status'] })
        }
      >
        <option value="">All except archived</option>
        <option value="active">Active</option>
        <option value="paused">Paused</option>
        <option value="killed">Killed</option>
        <option value="archived">Archived</option>
      </Select>
    </div>
  )
}

function AgentTable({ orgId, agents }: { orgId: string; agents: Agent[] }) {
  const scores = useScores(
    orgId,
    agents.map((agent) => agent.agent_id),
  )
  const columns: Column<Agent>[] = [
    {
      key: 'name',
      label: 'Agent',
      cell: (agent) => (
        <>
          <Link
            to="/o/$orgId/agents/$agentId"
            params={{ orgId, agentId: agent.agent_id }}
            className="font-medium hover:underline"
          >
            {agent.name}
          </Link>
          <p className="font-mono text-xs text-ink-faint">{agent.agent_id}</p>
        </>
      ),
    },
    {
      key: 'grade',
      label: 'Grade',
      cell: (agent) => <GradeMark grade={scores.data?.get(agent.agent_id)?.grade ?? 'NR'} />,
    },
    {
      key: 'score',
      label: 'Score',
      align: 'right',
      cell: (agent) => scores.data?.get(agent.agent_id)?.score ?? '–',
    },
    {
      key: 'assurance',
      label: 'Assurance',
      cell: (agent) => <AssuranceMark level={scores.data?.get(agent.agent_id)?.assurance} />,
    },
    {
      key: 'trend',
      label: '30 days',
      align: 'right',
      cell: (agent) => <Trend score={scores.data?.get(agent.agent_id)} />,
    },
    { key: 'state', label: 'Status', cell: (agent) => <State state={agent.status} /> },
    { key: 'mode', label: 'Enforcement', cell: (agent) => MODES[agent.enforcement_mode] },
    { key: 'seen', label: 'Last seen', cell: (agent) => <Ago at={agent.last_seen_at} /> },
  ]
  return (
    <Table caption="Agents" columns={columns} rows={agents} keyOf={(agent) => agent.agent_id} />
  )
}

const MODES = { observe: 'Observe', nudge: 'Nudge', enforce: 'Enforce' } as const

function Trend({ score }: { score: { score: number | null; trend_30d: number } | undefined }) {
  return score === undefined || score.score === null ? '–' : <Change points={score.trend_30d} />
}

function NoAgents({ filtered, orgId }: { filtered: boolean; orgId: string }) {
  if (filtered) return <Empty title="No matching agents">Try a different search or status.</Empty>
  return (
    <Empty
      title="No agents yet"
      action={
        <Link to="/o/$orgId/agents/new" params={{ orgId }} className={buttonClass('primary')}>
          Register agent
        </Link>
      }
    >
      Register an agent and send its checkpoints. It is rated after 50 of them.
    </Empty>
  )
}
