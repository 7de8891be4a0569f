import { useState } from 'react'
import { Card } from '../../ui/card.tsx'
import { Verdict } from '../../ui/marks.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { type StoredEvaluation, useEvaluations } from './queries.ts'
import { Reasons } from './reasons.tsx'

type Filter = StoredEvaluation['verdict'] | 'all'

const OPTIONS = [
  { value: 'all', label: 'All' },
  { value: 'fail', label: 'Fail' },
  { value: 'warn', label: 'Warn' },
  { value: 'pass', label: 'Pass' },
] as const

/** Past policy evaluations of the agent's traces; decisions have their own page. */
export function EvaluationsCard({ agentId }: { agentId: string }) {
  const [filter, setFilter] = useState<Filter>('all')
  const [page, setPage] = useState(1)
  const verdict = filter === 'all' ? undefined : filter
  const evaluations = useEvaluations(agentId, { verdict, page })
  const choose = (next: Filter) => {
    setFilter(next)
    setPage(1)
  }
  return (
    <Card
      title="Evaluations"
      note="Traces and test evaluations of the last 90 days. Calls that were decided are under Decisions."
      padded={false}
      actions={<Segments label="Verdict" value={filter} options={OPTIONS} onChange={choose} />}
    >
      <Loaded query={evaluations}>
        {({ evaluations: rows, total, per_page: perPage }) => (
          <Paged
            page={page}
            perPage={perPage}
            total={total}
            onPage={setPage}
            empty={
              <Empty title={filter === 'all' ? 'No evaluations yet' : 'No matching evaluations'} />
            }
          >
            <ul>
              {rows.map((row) => (
                <EvaluationLine key={row.evaluation_id} evaluation={row} />
              ))}
            </ul>
          </Paged>
        )}
      </Loaded>
    </Card>
  )
}

/** As the tester of policies names them; traces are evaluated as they arrive. */
const CONTEXTS: Readonly<Record<StoredEvaluation['context'], string>> = {
  gateway: 'with grace period, ',
  audit: 'strict, ',
  runtime: '',
}

/**
 * A passed evaluation is not green: the trace of a refused call passes, too, because no tool was
 * called.
 */
function EvaluationLine({ evaluation }: { evaluation: StoredEvaluation }) {
  const { verdict, context, policy_version: version, evaluated_at: at } = evaluation
  const head = (
    <>
      {verdict === 'pass' ? <Pill>Pass</Pill> : <Verdict verdict={verdict} />}
      <span>{toolsOf(evaluation)}</span>
      <span className="ml-auto text-xs text-ink-faint">
        {CONTEXTS[context]}version {version ?? '—'}, <Ago at={at} />
      </span>
    </>
  )
  const hasReasons =
    evaluation.violations.length + evaluation.warnings.length + evaluation.card_gaps.length > 0
  return (
    <li className="border-b border-line px-5 py-2.5 text-sm last:border-0">
      {hasReasons ? (
        <details>
          <summary className="flex flex-wrap items-center gap-x-3 gap-y-1">{head}</summary>
          <div className="pt-3">
            <Reasons of={evaluation} />
          </div>
        </details>
      ) : (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">{head}</p>
      )}
    </li>
  )
}

/** The tools named in an evaluation's findings. */
function toolsOf({ violations, warnings, trace_id: traceId }: StoredEvaluation) {
  const tools = [...new Set([...violations, ...warnings].map(({ tool }) => tool))]
  if (tools.length > 0) return <span className="font-mono break-all">{tools.join(', ')}</span>
  return <span className="text-ink-soft">{traceId === null ? 'Call' : 'Trace'}</span>
}
