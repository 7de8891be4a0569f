import { Link } from '@tanstack/react-router'
import { AssuranceMark } from '../../../ui/assurance.tsx'
import { DemoLabel } from '../../../ui/demo-label.tsx'
import { ScoreGauge } from '../../../ui/gauge.tsx'
import { GradeMark } from '../../../ui/grade.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { TEXT_LINK, TextLink } from '../../../ui/text-link.tsx'
import { useReputation } from '../agent/queries.ts'
import { type DirectoryAgent, useDirectory } from '../directory/queries.ts'

/** The first agent of the directory with its gauge, and a short list of others. */
export function Example() {
  const directory = useDirectory({}, 5)
  return (
    <Frame>
      <Loaded query={directory} lines={5}>
        {({ agents: [first, ...others] }) =>
          first === undefined ? <NoRatedAgents /> : <Sample agent={first} others={others} />
        }
      </Loaded>
    </Frame>
  )
}

function Frame({ children }: { children: React.ReactNode }) {
  return (
    <aside
      aria-label="Live example"
      className="min-w-0 rounded-card border border-line bg-surface p-5 shadow-soft"
    >
      {children}
    </aside>
  )
}

function Sample({ agent, others }: { agent: DirectoryAgent; others: DirectoryAgent[] }) {
  const { data } = useReputation(agent.agent_id)
  return (
    <>
      <p className="flex items-center justify-between gap-2 text-sm text-ink-faint">
        Live from this service
        <DemoLabel id={agent.agent_id} />
      </p>
      <Link to="/a/$agentId" params={{ agentId: agent.agent_id }} className="group block">
        <span className="mt-1 block font-serif text-xl font-semibold group-hover:underline">
          {agent.agent_name}
        </span>
        <span className="flex justify-center">
          <ScoreGauge
            score={agent.score}
            grade={agent.grade}
            interval={data?.score_interval ?? null}
          />
        </span>
        <span className="mb-1 flex justify-center">
          <AssuranceMark level={agent.assurance} />
        </span>
        <span className={`block text-center text-sm ${TEXT_LINK}`}>View score and evidence</span>
      </Link>
      <ul className="mt-4 border-t border-line pt-2">
        {others.map((other) => (
          <li key={other.agent_id}>
            <Link
              to="/a/$agentId"
              params={{ agentId: other.agent_id }}
              className="flex items-center gap-3 rounded px-1 py-1.5 text-sm hover:bg-sunken"
            >
              <GradeMark grade={other.grade} />
              <span className="min-w-0 flex-1 truncate">{other.agent_name}</span>
              <AssuranceMark level={other.assurance} />
              <span className="tabular">{other.score}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Shown before any public agent is rated: the empty scale. */
function NoRatedAgents() {
  return (
    <>
      <p className="text-sm text-ink-faint">No rated public agents yet</p>
      <div className="flex justify-center">
        <ScoreGauge score={null} grade="NR" note="0 to 1000, in seven grades" />
      </div>
      <p className="mt-1 text-center text-sm text-ink-soft">
        An agent is rated after 50 checkpoints.{' '}
        <TextLink to="/methodology">How scoring works</TextLink>
      </p>
    </>
  )
}
