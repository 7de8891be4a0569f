import { AgentLink } from '../../names/agent-link.tsx'
import { boundsOf, type TimeRange } from '../../range/time-range.ts'
import { AssuranceMark } from '../../ui/assurance.tsx'
import { Card } from '../../ui/card.tsx'
import { GradeMark } from '../../ui/grade.tsx'
import { Change, State } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Agent, type BatchScore, useScores } from '../agents/queries.ts'
import { type ChangedAgent, changedAgents } from './changed-agents.ts'

type ChangedAgentsCardProps = { orgId: string; agents: readonly Agent[]; range: TimeRange }

/** The agents that are new, stopped or updated, and the largest changes of scores. */
export function ChangedAgentsCard({ orgId, agents, range }: ChangedAgentsCardProps) {
  const scores = useScores(
    orgId,
    agents.map((agent) => agent.agent_id),
  )
  return (
    <Card title="Agents that changed" note="Scores: change in 30 days" padded={false}>
      <Loaded query={scores}>
        {(found) => {
          const trends = new Map([...found].map(([id, score]) => [id, score.trend_30d]))
          const changed = changedAgents(agents, trends, boundsOf(range, new Date()))
          if (changed.length === 0) return <Empty title="No agent changed in this time range" />
          return (
            <ul className="text-sm">
              {changed.map((one) => (
                <ChangedLine
                  key={one.agent.agent_id}
                  changed={one}
                  score={found.get(one.agent.agent_id)}
                />
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Card>
  )
}

type ChangedLineProps = { changed: ChangedAgent; score: BatchScore | undefined }

function ChangedLine({ changed: { agent, change, trend }, score }: ChangedLineProps) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto_2.5rem_2.5rem] items-center gap-3 border-b border-line px-5 py-2.5 last:border-0">
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <AgentLink agentId={agent.agent_id} className="font-medium" />
        {score === undefined ? null : <AssuranceMark level={score.assurance} />}
        {change === 'registered' ? <Pill tone="info">New</Pill> : null}
        {change === 'updated' ? <Pill>Updated</Pill> : null}
        {change === 'stopped' ? <State state={agent.status} /> : null}
      </span>
      <GradeMark grade={score?.grade ?? 'NR'} />
      <span className="text-right tabular">{score?.score ?? '–'}</span>
      <span className="text-right tabular">
        <Change points={trend} />
      </span>
    </li>
  )
}
