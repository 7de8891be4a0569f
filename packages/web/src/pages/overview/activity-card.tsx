import { Link } from '@tanstack/react-router'
import { escapeInvisible } from '@touchstone/protocol/base'
import type { ReactNode } from 'react'
import { AgentLink } from '../../names/agent-link.tsx'
import type { LiveEvent } from '../../session/event-buffer.ts'
import { useLiveStream } from '../../session/use-live-stream.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import {
  Change,
  DecisionMark,
  NotJudged,
  Severity,
  State,
  sentenceCase,
  Verdict,
} from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { type DecisionRow, toRow } from '../decisions/live-decisions.ts'
import { activityOf } from './activity.ts'
import { useRecentDecisions } from './queries.ts'

/** The latest decisions, and above them what happens while the page is open. */
export function ActivityCard({ orgId }: { orgId: string }) {
  const { events } = useLiveStream()
  const recent = useRecentDecisions(orgId)
  return (
    <Card
      title="Live activity"
      note="Decisions, checkpoints and score changes, newest first"
      padded={false}
    >
      <Loaded query={recent} lines={5}>
        {({ decisions }) => {
          const lines = activityOf(decisions.map(toRow), events)
          if (lines.length === 0) {
            return <Empty title="No activity yet">New events appear here by themselves.</Empty>
          }
          return (
            <section aria-label="Live activity" className="max-h-[34rem] overflow-y-auto">
              <ul>
                {lines.map((line) =>
                  line.kind === 'decision' ? (
                    <DecisionLine key={line.key} row={line.row} />
                  ) : (
                    <ActivityLine
                      key={line.key}
                      agentId={textOf(line.event.data['agent_id'])}
                      at={line.at}
                    >
                      <EventSummary event={line.event} />
                    </ActivityLine>
                  ),
                )}
              </ul>
            </section>
          )
        }}
      </Loaded>
    </Card>
  )
}

function DecisionLine({ row }: { row: DecisionRow }) {
  const orgId = useOrgId()
  const { decision_id: decisionId, agent_id: agentId, decided_at: at } = row
  return (
    <ActivityLine
      agentId={agentId}
      at={at}
      isBad={row.decision === 'block' && row.enforced !== false}
    >
      <DecisionMark decision={row.decision} enforced={row.enforced} />
      <Link
        to="/o/$orgId/decisions/$decisionId"
        params={{ orgId, decisionId }}
        className="font-mono text-[0.8125rem] break-all hover:underline"
      >
        {escapeInvisible(row.tool)}
      </Link>
    </ActivityLine>
  )
}

type ActivityLineProps = { agentId: string; at: string; isBad?: boolean; children: ReactNode }

function ActivityLine({ agentId, at, isBad = false, children }: ActivityLineProps) {
  return (
    <li
      className={classNames(
        'grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 gap-y-0.5 border-b border-line px-5 py-2 text-sm last:border-0 sm:grid-cols-[minmax(0,1fr)_minmax(0,12rem)_6.5rem]',
        isBad && 'bg-bad-wash/50 shadow-[inset_3px_0_0_var(--bad)]',
      )}
    >
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1">{children}</span>
      <span className="min-w-0 truncate text-ink-soft max-sm:order-last max-sm:col-span-2">
        {agentId === '' ? null : <AgentLink agentId={agentId} />}
      </span>
      <span className="text-right text-xs text-ink-faint">
        <Ago at={at} />
      </span>
    </li>
  )
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function EventSummary({ event: { type, data } }: { event: LiveEvent }) {
  if (type === 'decision.bypassed') {
    return (
      <>
        refused tool call was made <Pill tone="bad">Bypassed</Pill>
      </>
    )
  }
  if (type.endsWith('score_changed')) return <ScoreChange data={data} />
  if (type.endsWith('grade_changed')) {
    return (
      <>
        grade {textOf(data['grade_before'])} → {textOf(data['grade_after'])}
      </>
    )
  }
  return <GenericSummary type={type} data={data} />
}

function ScoreChange({ data }: { data: LiveEvent['data'] }) {
  const { score_before: before, score_after: after } = data
  if (typeof after !== 'number') return 'score changed'
  return (
    <>
      score {after}
      {typeof before === 'number' ? <Change points={after - before} /> : null}
    </>
  )
}

/** A trace of a refused call passes verification, too, so the feed does not call it verified. */
function labelOf(type: string): string {
  const [area = '', what = ''] = type.split('.')
  if (area === 'integrity') return 'checkpoint'
  return type === 'trace.verified'
    ? 'trace recorded'
    : sentenceCase(`${area}_${what}`).toLowerCase()
}

/**
 * The verdict that an event carries. A clear one is not green, because the event does not say whether
 * the call of the checkpoint was made.
 */
function EventVerdict({ data }: { data: LiveEvent['data'] }) {
  const { verdict } = data
  if (data['synthetic'] === true) return <NotJudged />
  if (typeof verdict !== 'string') return null
  return verdict === 'clear' ? <Pill>Clear</Pill> : <Verdict verdict={verdict} />
}

/** The event type as words, with the verdict, severity or state it carries. */
function GenericSummary({ type, data }: { type: string; data: LiveEvent['data'] }) {
  return (
    <>
      {labelOf(type)}
      <EventVerdict data={data} />
      {typeof data['severity'] === 'string' ? <Severity severity={data['severity']} /> : null}
      {typeof data['new_status'] === 'string' ? <State state={data['new_status']} /> : null}
    </>
  )
}
