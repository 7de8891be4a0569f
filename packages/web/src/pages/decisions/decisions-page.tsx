import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { escapeInvisible } from '@touchstone/protocol/base'
import { useState } from 'react'
import { useAgents } from '../../session/use-agents.ts'
import { useLiveStream } from '../../session/use-live-stream.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { DecisionMark } from '../../ui/marks.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { Filters } from './filters.tsx'
import { canFollow, type DecisionRow, mergeLive, toRow } from './live-decisions.ts'
import { LiveToggle } from './live-toggle.tsx'
import { OutcomeMark } from './outcome-mark.tsx'
import { useDecisions } from './queries.ts'
import { isFiltered } from './search.ts'
import { StatsStrip } from './stats-strip.tsx'

const FROM = '/o/$orgId/decisions'

/** The decision log, newest first. */
export function DecisionsPage() {
  const { orgId } = useParams({ from: FROM })
  const search = useSearch({ from: FROM })
  const [wantsLive, setWantsLive] = useState(false)
  const isLive = wantsLive && canFollow(search)
  const decisions = useDecisions(orgId, search, isLive)
  const { events } = useLiveStream()
  return (
    <Page
      title="Decisions"
      lead="The gateway’s answer to each tool call that an agent wanted to make."
      actions={
        canFollow(search) ? <LiveToggle isOn={wantsLive} onChange={setWantsLive} /> : undefined
      }
    >
      <StatsStrip orgId={orgId} />
      <Filters />
      <Card padded={false}>
        <Loaded query={decisions} lines={5}>
          {(found) => {
            const listed = found.decisions.map(toRow)
            const rows = isLive ? mergeLive(listed, events, search) : listed
            return rows.length === 0 ? (
              <NoDecisions />
            ) : (
              <>
                <DecisionTable orgId={orgId} rows={rows} />
                <CursorPager next={found.next_cursor} />
              </>
            )
          }}
        </Loaded>
      </Card>
    </Page>
  )
}

function DecisionTable({ orgId, rows }: { orgId: string; rows: readonly DecisionRow[] }) {
  const agents = useAgents()
  const names = new Map(agents.data?.agents.map((agent) => [agent.agent_id, agent.name]))
  const columns: Column<DecisionRow>[] = [
    { key: 'decision', label: 'Decision', cell: (row) => <DecisionMark decision={row.decision} /> },
    {
      key: 'tool',
      label: 'Tool',
      ownLine: true,
      className: 'min-w-56',
      cell: (row) => (
        <>
          <Link
            to="/o/$orgId/decisions/$decisionId"
            params={{ orgId, decisionId: row.decision_id }}
            className="font-mono text-[0.8125rem] font-medium break-all hover:underline"
          >
            {escapeInvisible(row.tool)}
          </Link>
          {row.reason === undefined ? null : (
            <p className="line-clamp-2 text-xs break-words text-ink-soft">{row.reason}</p>
          )}
        </>
      ),
    },
    {
      key: 'agent',
      label: 'Agent',
      cell: (row) => (
        <Link
          to="/o/$orgId/agents/$agentId"
          params={{ orgId, agentId: row.agent_id }}
          className="break-words hover:underline"
        >
          {names.get(row.agent_id) ?? row.agent_id}
        </Link>
      ),
    },
    {
      key: 'session',
      label: 'Session',
      cell: (row) => (
        <span className="font-mono text-xs break-all text-ink-soft">{row.session_id ?? '–'}</span>
      ),
    },
    { key: 'outcome', label: 'Outcome', cell: (row) => <OutcomeMark of={row} /> },
    {
      key: 'time',
      label: 'Time',
      className: 'whitespace-nowrap',
      cell: (row) => <Ago at={row.decided_at} />,
    },
  ]
  return (
    <Table
      caption="Decisions, newest first"
      columns={columns}
      rows={rows}
      keyOf={(row) => row.decision_id}
    />
  )
}

/** The list has no total, so there is only a way on and a way back to the start. */
function CursorPager({ next }: { next: string | null }) {
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  if (next === null && search.cursor === undefined) return null
  const show = (cursor: string | undefined) => void navigate({ search: { ...search, cursor } })
  return (
    <div className="flex justify-end gap-2 border-t border-line px-5 py-2.5">
      <Button disabled={search.cursor === undefined} onClick={() => show(undefined)}>
        Newest
      </Button>
      <Button disabled={next === null} onClick={() => show(next ?? undefined)}>
        Older
      </Button>
    </div>
  )
}

function NoDecisions() {
  const { orgId } = useParams({ from: FROM })
  const search = useSearch({ from: FROM })
  if (isFiltered(search) || search.cursor !== undefined) {
    return (
      <Empty
        title="No matching decisions"
        action={
          <Link to={FROM} params={{ orgId }} className={buttonClass()}>
            Clear filters
          </Link>
        }
      />
    )
  }
  return (
    <Empty title="No decisions yet">
      A decision is recorded whenever an agent asks the gateway, through the SDK, a guard or
      /v1/gateway/decide, whether it may call a tool.
    </Empty>
  )
}
