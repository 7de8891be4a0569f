import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useSession } from '../../../session/use-session.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Page } from '../../../ui/page.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { AgentTable } from './agent-table.tsx'
import { Comparison } from './comparison.tsx'
import { Distribution, Percentiles } from './distribution.tsx'
import { Filters } from './filters.tsx'
import { type DirectorySearch, readSearch, useBenchmarks, useDirectory } from './queries.ts'

/** All rated public agents, and their overall statistics. */
export function DirectoryPage() {
  const search = useSearch({ from: '/site/directory' })
  return (
    <Page
      title="Directory"
      lead="All public agents with a score. An agent is listed once it has enough evidence to be rated."
    >
      <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_16rem] lg:items-start">
        <div className="grid min-w-0 gap-5">
          <Listing search={search} />
        </div>
        <BenchmarksCard chosen={search.grade} />
      </div>
    </Page>
  )
}

function Listing({ search }: { search: DirectorySearch }) {
  const session = useSession()
  const navigate = useNavigate()
  const directory = useDirectory(search)
  const compared = search.compare?.split(',').filter(Boolean) ?? []
  const change = (next: DirectorySearch) =>
    void navigate({ to: '/directory', search: next, replace: true, resetScroll: false })
  return (
    <>
      {compared.length < 2 ? null : (
        <ComparisonOrSignIn agentIds={compared} signedIn={session !== undefined} />
      )}
      <Card padded={false}>
        <Filters search={search} onChange={change} />
        <Loaded query={directory} lines={5}>
          {(found) =>
            found.agents.length === 0 ? (
              <Empty
                title="No matching agents"
                action={<Button onClick={() => change({})}>Clear filters</Button>}
              >
                Try part of a name or id, or fewer filters.
              </Empty>
            ) : (
              <AgentTable
                found={found}
                compared={compared}
                onCompare={(ids) => change(readSearch({ ...search, compare: ids.join(',') }))}
                onPage={(page) => change({ ...search, page })}
              />
            )
          }
        </Loaded>
      </Card>
    </>
  )
}

/** Comparing agents requires a session. */
function ComparisonOrSignIn({
  agentIds,
  signedIn,
}: {
  agentIds: readonly string[]
  signedIn: boolean
}) {
  if (signedIn) return <Comparison agentIds={agentIds} />
  return (
    <Card>
      <Empty
        title="Sign in to compare agents"
        action={
          <Link to="/sign-in" search={{}} className={buttonClass('primary', 'mt-2')}>
            Sign in
          </Link>
        }
      />
    </Card>
  )
}

function BenchmarksCard({ chosen }: { chosen: DirectorySearch['grade'] }) {
  const benchmarks = useBenchmarks()
  return (
    <Card title="All public agents" note="Updated hourly">
      <Loaded query={benchmarks}>
        {(data) =>
          data.total_scored === 0 ? (
            <Empty title="No rated public agents yet" />
          ) : (
            <div className="grid gap-5">
              <p className="text-sm text-ink-soft">
                <b className="font-serif text-2xl text-ink tabular">{data.total_scored}</b> rated,
                mean score <b className="text-ink tabular">{data.mean_score}</b>
              </p>
              <Distribution benchmarks={data} chosen={chosen} />
              <Percentiles benchmarks={data} />
            </div>
          )
        }
      </Loaded>
    </Card>
  )
}
