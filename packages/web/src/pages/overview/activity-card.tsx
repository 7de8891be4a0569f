import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type LiveEvent, useLiveStream } from '../../session/use-live-stream.ts'
import { Card } from '../../ui/card.tsx'
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
import { Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import type { Agent } from '../agents/queries.ts'
import { CardCheck, RefusalMark } from '../agents/trace-marks.tsx'
import { useLatestTraces } from './queries.ts'

const SHOWN_MAX = 14

/**
 * A trace emits trace.created, then trace.verified or trace.failed; only the outcome is shown. A
 * refused call is already shown as its decision.
 */
const HIDDEN_TYPES: ReadonlySet<string> = new Set([
  'trace.created',
  'decision.blocked',
  'decision.escalated',
])

/** Live events on top, and below them the latest traces from before the page was opened. */
export function ActivityCard({ orgId, agents }: { orgId: string; agents: readonly Agent[] }) {
  const live = useLiveStream()
  const names = new Map(agents.map((agent) => [agent.agent_id, agent.name]))
  const shown = live.events.filter((event) => !HIDDEN_TYPES.has(event.type)).slice(0, SHOWN_MAX)
  const traces = useLatestTraces(orgId)
  return (
    <Card title="Live activity" note="Checkpoints, decisions and score changes" padded={false}>
      {shown.length === 0 ? (
        <p className="border-b border-line px-5 py-4 text-sm text-ink-soft">
          No activity since you opened this page. New events appear automatically.
        </p>
      ) : (
        <ul aria-label="Since this page was opened" aria-live="polite">
          {shown.map((event) => (
            <ActivityLine
              key={event.key}
              orgId={orgId}
              agentId={String(event.data['agent_id'] ?? '')}
              names={names}
              at={event.at}
            >
              <EventSummary event={event} />
            </ActivityLine>
          ))}
        </ul>
      )}
      <Loaded query={traces}>
        {(found) =>
          found.traces.length === 0 ? null : (
            <>
              <h3 className="bg-sunken/60 px-5 py-1.5 text-xs font-medium text-ink-soft">
                Latest traces
              </h3>
              <ul>
                {found.traces.map((trace) => (
                  <ActivityLine
                    key={trace.trace_id}
                    orgId={orgId}
                    agentId={trace.agent_id}
                    names={names}
                    at={trace.timestamp}
                  >
                    <span className="font-mono text-xs text-ink-soft">{trace.action.name}</span>{' '}
                    <RefusalMark trace={trace} />
                    <CardCheck trace={trace} />
                  </ActivityLine>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

type ActivityLineProps = {
  orgId: string
  agentId: string
  names: ReadonlyMap<string, string>
  at: string
  children: ReactNode
}

function ActivityLine({ orgId, agentId, names, at, children }: ActivityLineProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-0.5 border-b border-line px-5 py-2 text-sm last:border-0">
      {agentId === '' ? null : (
        <Link
          to="/o/$orgId/agents/$agentId"
          params={{ orgId, agentId }}
          className="max-w-48 truncate font-medium hover:underline"
        >
          {names.get(agentId) ?? agentId}
        </Link>
      )}
      <span className="order-last flex basis-full flex-wrap items-center gap-1.5 sm:order-none sm:basis-auto">
        {children}
      </span>
      <span className="ml-auto text-xs text-ink-faint">
        <Ago at={at} />
      </span>
    </li>
  )
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function EventSummary({ event: { type, data } }: { event: LiveEvent }) {
  if (type === 'gateway.decision') {
    return (
      <>
        tool call <span className="font-mono text-xs">{textOf(data['tool'])}</span>
        <DecisionMark decision={textOf(data['decision'])} />
      </>
    )
  }
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
