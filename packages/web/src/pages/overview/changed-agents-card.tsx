import { AgentLink } from '../../names/agent-link.tsx'
import { boundsOf, type TimeRange } from '../../range/time-range.ts'
import { AssuranceMark } from '../../ui/assurance.tsx'
import { Card } from '../../ui/card.tsx'
import { GradeMark } from '../../ui/grade.tsx'
import { Change, State } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { useStandings } from '../agents/use-standings.ts'
import { CHANGED_MAX, type ChangedAgent, changedAgents } from './changed-agents.ts'

/** The agents that are new, stopped or updated, and the largest changes of scores. */
export function ChangedAgentsCard({ orgId, range }: { orgId: string; range: TimeRange }) {
  const updated = useStandings(orgId, range, { sort: 'updated', per_page: CHANGED_MAX })
  const trends = useStandings(orgId, range, { sort: 'trend', per_page: CHANGED_MAX })
  return (
    <Card title="Agents that changed" note="Scores: change in 30 days" padded={false}>
      <Loaded query={updated}>
        {(newest) => (
          <Loaded query={trends}>
            {(largest) => {
              const found = [...newest.agents, ...largest.agents]
              const changed = changedAgents(found, boundsOf(range, new Date()))
              if (changed.length === 0) return <Empty title="No agent changed in this time range" />
              return (
                <ul className="text-sm">
                  {changed.map((one) => (
                    <ChangedLine key={one.agent.agent_id} changed={one} />
                  ))}
                </ul>
              )
            }}
          </Loaded>
        )}
      </Loaded>
    </Card>
  )
}

function ChangedLine({ changed: { agent, change } }: { changed: ChangedAgent }) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto_2.5rem_2.5rem] items-center gap-3 border-b border-line px-5 py-2.5 last:border-0">
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <AgentLink agentId={agent.agent_id} className="font-medium" />
        <AssuranceMark level={agent.assurance} />
        {change === 'registered' ? <Pill tone="info">New</Pill> : null}
        {change === 'updated' ? <Pill>Updated</Pill> : null}
        {change === 'stopped' ? <State state={agent.status} /> : null}
      </span>
      <GradeMark grade={agent.grade} />
      <span className="text-right tabular">{agent.score ?? '–'}</span>
      <span className="text-right tabular">
        <Change points={agent.trend_30d} />
      </span>
    </li>
  )
}
