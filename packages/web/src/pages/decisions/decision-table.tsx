import { Link, useSearch } from '@tanstack/react-router'
import { escapeInvisible } from '@touchstone/protocol/base'
import { AgentLink } from '../../names/agent-link.tsx'
import { useNamesInText } from '../../names/member-name.tsx'
import { useOrgId } from '../../session/use-org-id.ts'
import { classNames } from '../../ui/class-names.ts'
import { DecisionMark } from '../../ui/marks.tsx'
import { type Column, ROW_LINK, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import type { DecisionRow } from './live-decisions.ts'
import { OutcomeMark } from './outcome-mark.tsx'
import { ROW_ATTRIBUTE } from './use-list-keys.ts'

const FROM = '/o/$orgId/decisions'

type DecisionTableProps = {
  rows: readonly DecisionRow[]
  /** The only row that Tab stops at; keys move on from there. */
  current: string | undefined
  /** The decision in the panel, which leaves room for fewer columns. */
  open: string | undefined
}

/** The rows of the log. A row opens beside the list. */
export function DecisionTable({ rows, current, open }: DecisionTableProps) {
  const columns = open === undefined ? ALL : NARROW
  const withTabs = columns.map((column) => ({
    ...column,
    cell: (row: DecisionRow) => column.cell({ ...row, isTabStop: row.decision_id === current }),
  }))
  return (
    <Table
      caption="Decisions, newest first"
      columns={withTabs}
      rows={rows}
      keyOf={(row) => row.decision_id}
      isCurrent={(row) => row.decision_id === open}
    />
  )
}

type ShownRow = DecisionRow & { isTabStop: boolean }

const DECISION: Column<ShownRow> = {
  key: 'decision',
  label: 'Decision',
  cell: (row) => <DecisionMark decision={row.decision} enforced={row.enforced} />,
}

const TOOL: Column<ShownRow> = {
  key: 'tool',
  label: 'Tool',
  ownLine: true,
  cell: (row) => <ToolCell row={row} />,
}

const AGENT: Column<ShownRow> = {
  key: 'agent',
  label: 'Agent',
  cell: (row) => (
    <AgentLink agentId={row.agent_id} tabIndex={row.isTabStop ? 0 : -1} className="relative z-10" />
  ),
}

const SESSION: Column<ShownRow> = {
  key: 'session',
  label: 'Session',
  cell: (row) => (
    <span
      title={row.session_id ?? undefined}
      className="block font-mono text-xs text-ink-soft max-sm:break-all sm:max-w-48 sm:truncate"
    >
      {row.session_id ?? '–'}
    </span>
  ),
}

const OUTCOME: Column<ShownRow> = {
  key: 'outcome',
  label: 'Outcome',
  cell: (row) => <OutcomeMark of={row} />,
}

const TIME: Column<ShownRow> = {
  key: 'time',
  label: 'Time',
  className: 'whitespace-nowrap',
  cell: (row) => <Ago at={row.decided_at} />,
}

const ALL = [DECISION, { ...TOOL, className: 'min-w-56' }, AGENT, SESSION, OUTCOME, TIME]
const NARROW = [DECISION, TOOL, TIME]

function ToolCell({ row }: { row: ShownRow }) {
  const nameIn = useNamesInText()
  const orgId = useOrgId()
  const search = useSearch({ from: FROM })
  return (
    <>
      <Link
        to={FROM}
        params={{ orgId }}
        search={{ ...search, open: row.decision_id }}
        resetScroll={false}
        activeProps={{}}
        tabIndex={row.isTabStop ? 0 : -1}
        {...{ [ROW_ATTRIBUTE]: row.decision_id }}
        className={classNames('font-mono text-[0.8125rem] font-medium break-all', ROW_LINK)}
      >
        {escapeInvisible(row.tool)}
      </Link>
      {row.reason === undefined ? null : (
        <p className="line-clamp-2 text-xs break-words text-ink-soft">{nameIn(row.reason)}</p>
      )}
    </>
  )
}
