import { Link } from '@tanstack/react-router'
import { AssuranceMark } from '../../ui/assurance.tsx'
import { Card } from '../../ui/card.tsx'
import { GradeMark } from '../../ui/grade.tsx'
import { Change } from '../../ui/marks.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Agent, useScores } from '../agents/queries.ts'

const SHOWN_MAX = 8

/** The agents with the largest score changes in 30 days, up or down. */
export function Movers({ orgId, agents }: { orgId: string; agents: readonly Agent[] }) {
  const scores = useScores(
    orgId,
    agents.map((agent) => agent.agent_id),
  )
  const names = new Map(agents.map((agent) => [agent.agent_id, agent.name]))
  return (
    <Card title="Score changes" note="Last 30 days, largest first" padded={false}>
      <Loaded query={scores}>
        {(found) => {
          const rated = [...found.values()].filter((score) => score.score !== null)
          const moved = rated
            .sort((a, b) => Math.abs(b.trend_30d) - Math.abs(a.trend_30d))
            .slice(0, SHOWN_MAX)
          if (moved.length === 0) {
            return (
              <p className="px-5 py-6 text-sm text-ink-soft">
                No rated agents yet. An agent is rated after 50 checkpoints.
              </p>
            )
          }
          return (
            <ul className="text-sm">
              {moved.map((score) => (
                <li key={score.agent_id} className="border-b border-line last:border-0">
                  <Link
                    to="/o/$orgId/agents/$agentId"
                    params={{ orgId, agentId: score.agent_id }}
                    className="grid grid-cols-[minmax(0,1fr)_auto_3rem_3rem] items-center gap-3 px-5 py-2.5 hover:bg-sunken/50"
                  >
                    <span className="flex min-w-0 flex-wrap items-center gap-x-2 font-medium">
                      <span className="truncate">
                        {names.get(score.agent_id) ?? score.agent_id}
                      </span>
                      <AssuranceMark level={score.assurance} />
                    </span>
                    <GradeMark grade={score.grade} />
                    <span className="text-right tabular">{score.score}</span>
                    <span className="text-right tabular">
                      <Change points={score.trend_30d} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Card>
  )
}
