import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { TextWithCodes } from '../../names/text-with-codes.tsx'
import { RangePicker } from '../../range/range-picker.tsx'
import { useTimeRange } from '../../range/use-time-range.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Select } from '../../ui/field.tsx'
import { Severity, sentenceCase, Verdict } from '../../ui/marks.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { Comments } from './comments.tsx'
import { ROWS_PER_PAGE, useViolations, type Violation } from './queries.ts'
import { ReclassifyDialog } from './reclassify-dialog.tsx'
import type { ViolationSearch } from './search.ts'
import { ruleName, ViolationTypesCard } from './violation-types-card.tsx'

const FROM = '/o/$orgId/agents/$agentId/violations'

export function ViolationsTab() {
  const { agentId } = useParams({ from: FROM })
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const [chosen, setChosen] = useState<Violation>()
  const { status = 'all', type, page } = search
  const range = useTimeRange()
  const filter = { status, type, page, per_page: ROWS_PER_PAGE }
  const violations = useViolations(agentId, filter, range)
  const show = (changes: ViolationSearch) => void navigate({ search: changes, replace: true })
  return (
    <>
      <ViolationTypesCard current={type} />
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Select
          aria-label="Filter violations"
          className="sm:max-w-56"
          value={search.status ?? 'all'}
          // The value is one of the options below.
          onChange={(event) =>
            show({ type, status: event.target.value as ViolationSearch['status'] })
          }
        >
          <option value="all">All violations</option>
          <option value="open">Not reclassified</option>
          <option value="reclassified">Reclassified</option>
        </Select>
        {type === undefined ? null : (
          <Button onClick={() => show({ status: search.status })}>{ruleName(type)} ×</Button>
        )}
        <span className="ml-auto">
          <RangePicker usual={undefined} />
        </span>
      </div>
      <Card padded={false}>
        <Loaded query={violations} lines={5}>
          {(found) => (
            <Paged
              page={found.page}
              perPage={ROWS_PER_PAGE}
              total={found.total}
              onPage={(next) => show({ ...search, page: next })}
              empty={
                <Empty title="No violations">
                  No checkpoint here violated the agent’s card or needed review.
                </Empty>
              }
            >
              <ul>
                {found.violations.map((violation) => (
                  <ViolationItem
                    key={violation.checkpoint_id}
                    violation={violation}
                    onReclassify={() => setChosen(violation)}
                  />
                ))}
              </ul>
            </Paged>
          )}
        </Loaded>
      </Card>
      <ReclassifyDialog agentId={agentId} violation={chosen} onClose={() => setChosen(undefined)} />
    </>
  )
}

type ItemProps = { violation: Violation; onReclassify: () => void }

function ViolationItem({ violation, onReclassify }: ItemProps) {
  const { orgId, agentId } = useParams({ from: FROM })
  return (
    <li className="grid gap-x-6 gap-y-3 border-b border-line px-5 py-4 last:border-0 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="grid gap-1.5 text-sm">
        <p className="flex flex-wrap items-center gap-2">
          <Link
            to="/o/$orgId/agents/$agentId/checkpoints/$checkpointId"
            params={{ orgId, agentId, checkpointId: violation.checkpoint_id }}
            className="font-medium hover:underline"
          >
            {ruleName(violation.type)}
          </Link>
          <Verdict verdict={violation.verdict} />
          {violation.severity === null ? null : <Severity severity={violation.severity} />}
          {violation.reclassified_as === null ? null : (
            <Pill tone="info">{sentenceCase(violation.reclassified_as)}</Pill>
          )}
          {violation.loosened_by.length === 0 ? null : (
            <Pill tone="warn">Card loosened within 24 hours</Pill>
          )}
        </p>
        {violation.description === null ? null : (
          <p className="text-ink-soft">
            <TextWithCodes>{violation.description}</TextWithCodes>
          </p>
        )}
        <p className="text-xs text-ink-faint">
          <Ago at={violation.detected_at} /> ·{' '}
          {violation.counts_against_score ? 'Counts against the score' : 'Does not count'} · session{' '}
          <span className="font-mono">{violation.session_id}</span>
        </p>
        <Comments agentId={agentId} violation={violation} />
      </div>
      {violation.reclassified_as === null ? (
        <Button className="self-start justify-self-start" onClick={onReclassify}>
          Reclassify
        </Button>
      ) : null}
    </li>
  )
}
