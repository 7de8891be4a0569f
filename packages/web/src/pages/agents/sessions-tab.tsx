import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Pill } from '../../ui/pill.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Ago, formatDate } from '../../ui/time.tsx'
import { SessionTimeline } from '../decisions/session-timeline.tsx'
import { type AgentSession, joinSessions } from './sessions.ts'

const FROM = '/o/$orgId/agents/$agentId/sessions'

const SESSIONS_MAX = 50
const DECISIONS_MAX = 200

/** The agent's sessions; one is opened beside the list. */
export function SessionsTab() {
  const { orgId, agentId } = useParams({ from: FROM })
  const { session_id: chosenId } = useSearch({ from: FROM })
  const sessions = useSessions(orgId, agentId)
  return (
    <Loaded query={sessions} lines={5}>
      {(found) => {
        const [first] = found
        if (first === undefined) {
          return (
            <Card padded={false}>
              <Empty title="No sessions yet">
                Decisions and checkpoints with the same session appear here together.
              </Empty>
            </Card>
          )
        }
        const chosen = found.find(({ sessionId }) => sessionId === chosenId) ?? first
        return (
          <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
            <Card title="Sessions" note="Newest first" padded={false}>
              <ul className="max-h-[44rem] overflow-y-auto text-sm">
                {found.map((session) => (
                  <SessionLine
                    key={session.sessionId}
                    session={session}
                    isChosen={session === chosen}
                  />
                ))}
              </ul>
            </Card>
            <SessionTimeline
              key={chosen.sessionId}
              session={{
                org_id: orgId,
                agent_id: agentId,
                session_id: chosen.sessionId,
                decided_at: chosen.lastAt,
              }}
              currentId={null}
            />
          </div>
        )
      }}
    </Loaded>
  )
}

function useSessions(orgId: string, agentId: string) {
  return useQuery({
    queryKey: ['sessions', agentId],
    queryFn: async () => {
      const [evidence, decided] = await Promise.all([
        api.request('GET', '/v1/agents/{agent_id}/sessions', {
          params: { agent_id: agentId },
          query: { per_page: SESSIONS_MAX },
        }),
        api.request('GET', '/v1/decisions', {
          ...forOrg(orgId),
          query: { agent_id: agentId, limit: DECISIONS_MAX },
        }),
      ])
      return joinSessions(evidence.sessions, decided.decisions)
    },
  })
}

type SessionLineProps = { session: AgentSession; isChosen: boolean }

function SessionLine({ session, isChosen }: SessionLineProps) {
  const { orgId, agentId } = useParams({ from: FROM })
  const { sessionId, startedAt, lastAt, evidence, decisions, blocked, escalated } = session
  const violations = evidence?.verdicts.boundary_violation ?? 0
  const reviews = evidence?.verdicts.review_needed ?? 0
  return (
    <li className="border-b border-line last:border-0">
      <Link
        to="/o/$orgId/agents/$agentId/sessions"
        params={{ orgId, agentId }}
        search={{ session_id: sessionId }}
        aria-current={isChosen ? 'true' : undefined}
        resetScroll={false}
        className={classNames(
          'grid gap-1 px-5 py-3 outline-none hover:bg-sunken/50 focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-focus',
          isChosen && 'bg-sunken shadow-[inset_2px_0_0_var(--accent)]',
        )}
      >
        <span className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span className="font-mono text-[0.8125rem] font-medium [overflow-wrap:anywhere]">
            {sessionId}
          </span>
          <span className="text-xs text-ink-faint">
            <Ago at={lastAt} />
          </span>
        </span>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-soft">
          <span title={`Since ${formatDate(startedAt)}`}>{lengthOf(startedAt, lastAt)}</span>
          <span>{countOf(decisions, 'decision')}</span>
          <span>{countOf(evidence?.checkpoint_count ?? 0, 'checkpoint')}</span>
          {blocked === 0 ? null : <Pill tone="bad">{blocked} blocked</Pill>}
          {escalated === 0 ? null : <Pill tone="warn">{escalated} escalated</Pill>}
          {violations === 0 ? null : <Pill tone="bad">{countOf(violations, 'violation')}</Pill>}
          {reviews === 0 ? null : <Pill tone="warn">{reviews} to review</Pill>}
          {evidence?.stable === false ? <Pill tone="warn">Unstable</Pill> : null}
        </span>
      </Link>
    </li>
  )
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

function lengthOf(from: string, to: string): string {
  const ms = Date.parse(to) - Date.parse(from)
  if (ms < MINUTE_MS) return 'under a minute'
  if (ms < HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`
  return `${Math.round(ms / HOUR_MS)} h`
}

const countOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
