import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { summaryText } from '../../names/service-text.ts'
import { TextWithCodes } from '../../names/text-with-codes.tsx'
import { Card } from '../../ui/card.tsx'
import { Input } from '../../ui/field.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { CheckpointMarks } from './checkpoint-marks.tsx'
import { ProvenanceLabel } from './provenance.tsx'
import { type Checkpoint, ROWS_PER_PAGE, useCheckpoints } from './queries.ts'
import {
  type CheckpointSearch,
  checkpointFilterOf,
  PROVENANCES,
  VERDICT_FILTERS,
} from './search.ts'

import { useRefusals } from './use-refusals.ts'

const FROM = '/o/$orgId/agents/$agentId/checkpoints'

/** The checkpoint list; the live stream adds new checkpoints at the top. */
export function CheckpointsTab() {
  const { orgId, agentId } = useParams({ from: FROM })
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const checkpoints = useCheckpoints(agentId, checkpointFilterOf(search))
  const refusalOf = useRefusals(agentId, checkpoints.data?.checkpoints ?? [])
  const columns: Column<Checkpoint>[] = [
    { key: 'time', label: 'Time', ownLine: false, cell: (row) => <Ago at={row.timestamp} /> },
    {
      key: 'verdict',
      label: 'Verdict',
      cell: (row) => <CheckpointMarks checkpoint={row} refusal={refusalOf(row)} />,
    },
    {
      key: 'summary',
      label: 'Analysis',
      className: 'min-w-64',
      ownLine: true,
      cell: (row) => (
        <Link
          to="/o/$orgId/agents/$agentId/checkpoints/$checkpointId"
          params={{ orgId, agentId, checkpointId: row.checkpoint_id }}
          className="hover:underline"
        >
          <TextWithCodes>
            {row.concerns[0]?.description ??
              (summaryText(row.reasoning_summary) || row.checkpoint_id)}
          </TextWithCodes>
        </Link>
      ),
    },
    {
      key: 'session',
      label: 'Session',
      cell: (row) => <span className="font-mono text-xs text-ink-soft">{row.session_id}</span>,
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
        <Loaded query={checkpoints} lines={5}>
          {(found) => (
            <Paged
              page={found.page}
              perPage={ROWS_PER_PAGE}
              total={found.total}
              onPage={(page) => void navigate({ search: { ...search, page } })}
              empty={
                <Empty title="No checkpoints">
                  Checkpoints appear here as soon as the agent sends them, with their analysis.
                </Empty>
              }
            >
              <Table
                caption="Checkpoints, newest first"
                columns={columns}
                rows={found.checkpoints}
                keyOf={(row) => row.checkpoint_id}
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
  const set = (changes: CheckpointSearch) =>
    void navigate({ search: { ...search, page: undefined, ...changes }, replace: true })
  return (
    <div className="mb-3 flex flex-wrap gap-2">
      <FilterSelect
        label="Verdict"
        all="All verdicts"
        options={VERDICT_FILTERS}
        value={search.verdict}
        onChange={(verdict) => set({ verdict })}
      />
      <FilterSelect
        label="Provenance"
        all="Every provenance"
        options={PROVENANCES}
        value={search.provenance}
        onChange={(provenance) => set({ provenance })}
      />
      <Input
        aria-label="Session ID"
        placeholder="Session ID"
        className="font-mono sm:max-w-56"
        defaultValue={search.session_id ?? ''}
        onChange={(event) => set({ session_id: event.target.value || undefined })}
      />
      <label className="flex items-center gap-2 px-1 text-sm text-ink-soft">
        <input
          type="checkbox"
          className="accent-accent"
          checked={search.flagged === true}
          onChange={(event) => set({ flagged: event.target.checked || undefined })}
        />
        Flagged only
      </label>
    </div>
  )
}
