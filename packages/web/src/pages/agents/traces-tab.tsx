import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Card } from '../../ui/card.tsx'
import { Input } from '../../ui/field.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { sentenceCase } from '../../ui/marks.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { ProvenanceLabel } from './provenance.tsx'
import { ROWS_PER_PAGE, type Trace, useTraces } from './queries.ts'
import { ACTION_TYPES, PROVENANCES, TRACE_VIOLATIONS, type TraceSearch } from './search.ts'
import { CardCheck, PolicyCheck, RefusalMark } from './trace-marks.tsx'

const FROM = '/o/$orgId/agents/$agentId/traces'

export function TracesTab() {
  const { orgId, agentId } = useParams({ from: FROM })
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const traces = useTraces(agentId, search)
  const columns: Column<Trace>[] = [
    { key: 'time', label: 'Time', ownLine: false, cell: (row) => <Ago at={row.timestamp} /> },
    {
      key: 'action',
      label: 'Action',
      cell: (row) => (
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to="/o/$orgId/agents/$agentId/traces/$traceId"
            params={{ orgId, agentId, traceId: row.trace_id }}
            className="font-mono text-[0.8125rem] break-all hover:underline"
          >
            {row.action.name}
          </Link>
          <RefusalMark trace={row} />
        </span>
      ),
    },
    { key: 'type', label: 'Type', cell: (row) => sentenceCase(row.action.type) },
    {
      key: 'reasoning',
      label: 'Reasoning',
      className: 'min-w-64',
      ownLine: true,
      cell: (row) => (
        <span className="line-clamp-2 text-ink-soft">{row.decision.selection_reasoning}</span>
      ),
    },
    { key: 'card', label: 'Card check', cell: (row) => <CardCheck trace={row} /> },
    {
      key: 'policy',
      label: 'Policy check',
      cell: (row) => <PolicyCheck trace={row} none="–" />,
    },
    {
      key: 'provenance',
      label: 'Provenance',
      cell: (row) => <ProvenanceLabel provenance={row.provenance} />,
    },
  ]
  return (
    <>
      <Filters />
      <Card padded={false}>
        <Loaded query={traces} lines={5}>
          {(found) => (
            <Paged
              page={found.page}
              perPage={ROWS_PER_PAGE}
              total={found.total}
              onPage={(page) => void navigate({ search: { ...search, page } })}
              empty={
                <Empty title="No traces">
                  A trace records what the agent did and why. Send traces to /v1/traces; they appear
                  here automatically.
                </Empty>
              }
            >
              <Table
                caption="Traces, newest first"
                columns={columns}
                rows={found.traces}
                keyOf={(row) => row.trace_id}
              />
            </Paged>
          )}
        </Loaded>
      </Card>
    </>
  )
}

function Filters() {
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const set = (changes: TraceSearch) =>
    void navigate({ search: { ...search, page: undefined, ...changes }, replace: true })
  return (
    <div className="mb-3 flex flex-wrap gap-2">
      <FilterSelect
        label="Action type"
        all="All action types"
        options={ACTION_TYPES}
        value={search.action_type}
        onChange={(type) => set({ action_type: type })}
      />
      <FilterSelect
        label="Violation"
        all="All violations"
        options={TRACE_VIOLATIONS}
        value={search.violation}
        onChange={(violation) => set({ violation })}
      />
      <FilterSelect
        label="Provenance"
        all="Every provenance"
        options={PROVENANCES}
        value={search.provenance}
        onChange={(provenance) => set({ provenance })}
      />
      <Input
        aria-label="Action name (exact match)"
        placeholder="Action name"
        className="font-mono sm:max-w-56"
        defaultValue={search.action_name ?? ''}
        onChange={(event) => set({ action_name: event.target.value || undefined })}
      />
    </div>
  )
}
