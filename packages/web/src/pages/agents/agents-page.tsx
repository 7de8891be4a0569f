import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { RangePicker } from '../../range/range-picker.tsx'
import { labelOf, type TimeRange } from '../../range/time-range.ts'
import { useTimeRange } from '../../range/use-time-range.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Input } from '../../ui/field.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { PlusIcon } from '../../ui/icons.tsx'
import { Page } from '../../ui/page.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { AGENTS_PER_PAGE } from './queries.ts'
import { type AgentsSearch, STANDING_FINDINGS, STANDING_SORTS, STATUSES } from './search.ts'
import { StandingTable } from './standing-table.tsx'
import { useStandings } from './use-standings.ts'

const FROM = '/o/$orgId/agents'

const USUAL: TimeRange = '24h'

export function AgentsPage() {
  const { orgId } = useParams({ from: FROM })
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const range = useTimeRange() ?? USUAL
  const { q, status, with: finding, sort = 'name', page } = search
  const standings = useStandings(orgId, range, {
    q,
    status,
    with: finding,
    sort,
    page,
    per_page: AGENTS_PER_PAGE,
  })
  const isFiltered = q !== undefined || status !== undefined || finding !== undefined
  return (
    <Page
      title="Agents"
      lead="The agents your organisation is responsible for, and what happened to them."
      actions={
        <>
          <RangePicker usual={USUAL} />
          <Link to="/o/$orgId/agents/new" params={{ orgId }} className={buttonClass('primary')}>
            <PlusIcon /> Register agent
          </Link>
        </>
      }
    >
      <Filters />
      <Card padded={false}>
        <Loaded query={standings} lines={5}>
          {(found) => (
            <Paged
              page={found.page}
              perPage={AGENTS_PER_PAGE}
              total={found.total}
              onPage={(next) => void navigate({ search: { ...search, page: next } })}
              empty={<NoAgents isFiltered={isFiltered} orgId={orgId} />}
            >
              <StandingTable
                orgId={orgId}
                range={range}
                agents={found.agents}
                sort={sort}
                onSort={(next) =>
                  void navigate({ search: { ...search, page: undefined, sort: next } })
                }
              />
            </Paged>
          )}
        </Loaded>
      </Card>
      <Meaning range={range} isPartial={standings.data?.is_partial === true} />
    </Page>
  )
}

/** The meaning of each count of the table, in the words of the glossary. */
function Meaning({ range, isPartial }: { range: TimeRange; isPartial: boolean }) {
  return (
    <p className="mt-3 text-xs text-ink-faint">
      {labelOf(range)}. Blocked: tool calls that the gateway decided to block. Violations:
      checkpoints that crossed a boundary of the card or need review. Drift: alerts that are open
      now.{' '}
      <TextLink to="/docs/$" params={{ _splat: 'glossary' }}>
        Glossary
      </TextLink>
      {isPartial ? ' Only the newest 10,000 agents are compared; search for others.' : ''}
    </p>
  )
}

const FINDING_LABELS = {
  blocked: 'With blocked calls',
  violations: 'With violations',
  drift_alerts: 'With drift alerts',
} as const

const SORT_LABELS = {
  name: 'Sorted by name',
  score: 'Highest score first',
  trend: 'Largest change first',
  blocked: 'Most blocked first',
  violations: 'Most violations first',
  drift_alerts: 'Most drift first',
  last_seen: 'Last seen first',
  registered: 'Newest first',
} as const

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
      <FilterSelect
        label="Status"
        all="All except archived"
        options={STATUSES}
        value={search.status}
        onChange={(status) => set({ status })}
      />
      <FilterSelect
        label="Findings"
        all="With and without findings"
        options={STANDING_FINDINGS}
        labels={FINDING_LABELS}
        value={search.with}
        onChange={(finding) => set({ with: finding })}
      />
      <FilterSelect
        label="Order"
        all={SORT_LABELS.name}
        options={STANDING_SORTS.filter((sort) => sort !== 'name')}
        labels={SORT_LABELS}
        value={search.sort === 'name' ? undefined : search.sort}
        onChange={(sort) => set({ sort })}
      />
    </div>
  )
}

function NoAgents({ isFiltered, orgId }: { isFiltered: boolean; orgId: string }) {
  if (isFiltered) {
    return <Empty title="No matching agents">Try a different search, status or time range.</Empty>
  }
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
