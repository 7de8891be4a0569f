import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { RangePicker } from '../../range/range-picker.tsx'
import { useSetTimeRange, useTimeRange } from '../../range/use-time-range.ts'
import { useLiveStream } from '../../session/use-live-stream.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { DecisionPanel } from './decision-panel.tsx'
import { DecisionTable } from './decision-table.tsx'
import { Filters } from './filters.tsx'
import { KeyHint } from './key-hint.tsx'
import { canFollow, mergeLive, toRow } from './live-decisions.ts'
import { LiveToggle } from './live-toggle.tsx'
import { useDecisions } from './queries.ts'
import { isFiltered } from './search.ts'
import { StatsStrip } from './stats-strip.tsx'
import { useRowKeys } from './use-row-keys.ts'
import { useSavedViews } from './use-saved-views.ts'
import { EditViewButton, ViewTabs } from './view-tabs.tsx'

const FROM = '/o/$orgId/decisions'

/** The decision log, newest first, and beside it the decision that is open. */
export function DecisionsPage() {
  const { orgId } = useParams({ from: FROM })
  const search = useSearch({ from: FROM })
  const [wantsLive, setWantsLive] = useState(false)
  const range = useTimeRange()
  const isFollowed = canFollow(search) && typeof range !== 'object'
  const isLive = wantsLive && isFollowed
  const decisions = useDecisions(orgId, search, { range, isLive })
  const { events } = useLiveStream()
  const listed = decisions.data?.decisions.map(toRow) ?? []
  const rows = isLive ? mergeLive(listed, events, search) : listed
  const keys = useRowKeys(rows, search)
  const [views, setViews] = useSavedViews(orgId)
  const isOpen = search.open !== undefined
  return (
    <Page
      title="Decisions"
      lead="The gateway’s answer to each tool call that an agent wanted to make."
      actions={
        <>
          {isFollowed ? <LiveToggle isOn={wantsLive} onChange={setWantsLive} /> : null}
          <RangePicker usual={undefined} />
        </>
      }
    >
      <div className={isOpen ? 'max-lg:hidden' : undefined}>
        <StatsStrip orgId={orgId} range={range ?? '24h'} />
        <ViewTabs search={search} views={views} />
        <Filters
          searchField={keys.searchField}
          action={<EditViewButton search={search} views={views} onChange={setViews} />}
        />
      </div>
      <div
        className={
          isOpen ? 'grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,29rem)]' : undefined
        }
      >
        <div ref={keys.list} className={isOpen ? 'min-w-0 max-lg:hidden' : undefined}>
          <Card padded={false}>
            <Loaded query={decisions} lines={5}>
              {(found) =>
                rows.length === 0 ? (
                  <NoDecisions />
                ) : (
                  <>
                    <DecisionTable rows={rows} current={keys.current} open={search.open} />
                    <CursorPager next={found.next_cursor} />
                  </>
                )
              }
            </Loaded>
          </Card>
          <KeyHint isOn={keys.isOn} />
        </div>
        {search.open === undefined ? null : (
          <DecisionPanel orgId={orgId} decisionId={search.open} onClose={keys.close} />
        )}
      </div>
    </Page>
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
  const range = useTimeRange()
  const setRange = useSetTimeRange()
  const { tool } = search
  if (tool !== undefined && !tool.endsWith('*')) {
    return (
      <Empty
        title="No matching decisions"
        action={
          <Link
            to={FROM}
            params={{ orgId }}
            search={{ ...search, cursor: undefined, tool: `${tool}*` }}
            className={buttonClass()}
          >
            Search tools that begin with {tool}
          </Link>
        }
      >
        Enter the full tool name, or a prefix ending in *.
      </Empty>
    )
  }
  if (range !== undefined && !isFiltered(search)) {
    return (
      <Empty
        title="No decisions in this time range"
        action={<Button onClick={() => setRange(undefined)}>Show all time</Button>}
      />
    )
  }
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
