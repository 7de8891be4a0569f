import { Link, useParams } from '@tanstack/react-router'
import { useTimeRange } from '../../range/use-time-range.ts'
import { Card } from '../../ui/card.tsx'
import { sentenceCase } from '../../ui/marks.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, ROW_LINK, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useViolationTypes, type ViolationTypes } from './queries.ts'

const FROM = '/o/$orgId/agents/$agentId/violations'

type Row = ViolationTypes[number]

/** The evidence grouped by the rule that it broke. A row narrows the list below to its rule. */
export function ViolationTypesCard({ current }: { current: string | undefined }) {
  const { orgId, agentId } = useParams({ from: FROM })
  const types = useViolationTypes(agentId, useTimeRange())
  const columns: Column<Row>[] = [
    {
      key: 'type',
      label: 'Rule',
      cell: ({ type }) => (
        <Link
          to={FROM}
          params={{ orgId, agentId }}
          search={type === current ? {} : { type }}
          resetScroll={false}
          className={`font-medium ${ROW_LINK}`}
        >
          {ruleName(type)}
        </Link>
      ),
    },
    { key: 'count', label: 'Violations', align: 'right', cell: ({ count }) => count },
    {
      key: 'boundary',
      label: 'Boundary crossed',
      align: 'right',
      cell: (row) => row.boundary_violations,
    },
    {
      key: 'review',
      label: 'To review',
      align: 'right',
      cell: (row) => row.count - row.boundary_violations,
    },
    {
      key: 'reclassified',
      label: 'Reclassified',
      align: 'right',
      cell: ({ reclassified }) => reclassified,
    },
    { key: 'sessions', label: 'Sessions', align: 'right', cell: ({ sessions }) => sessions },
    { key: 'last', label: 'Last', cell: (row) => <Ago at={row.last_at} /> },
  ]
  return (
    <Loaded query={types}>
      {({ types: rows }) =>
        rows.length === 0 ? null : (
          <Card title="By rule" padded={false} className="mb-6">
            <Table
              caption="Violations by rule"
              columns={columns}
              rows={rows}
              keyOf={({ type }) => type}
              isCurrent={({ type }) => type === current}
            />
          </Card>
        )
      }
    </Loaded>
  )
}

const NAMES: Readonly<Record<string, string>> = {
  FORBIDDEN_ACTION: 'Did what the card forbids',
  UNBOUNDED_ACTION: 'Did what the card does not list',
  MISSED_ESCALATION: 'Did not ask a person first',
  UNDECLARED_VALUE: 'Applied a value that the card does not declare',
  CARD_EXPIRED: 'Acted on an expired card',
  CARD_MISMATCH: 'Acted on another card',
  POLICY_VIOLATION: 'Broke the policy',
}

/** A type of violation, in words. */
export function ruleName(type: string): string {
  return NAMES[type] ?? sentenceCase(type)
}
