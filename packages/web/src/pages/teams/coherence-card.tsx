import { AgentLink } from '../../names/agent-link.tsx'
import { Bar } from '../../ui/bar.tsx'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useCoherence } from './queries.ts'

const PAIRS_SHOWN = 10

const percent = (share: number) => `${Math.round(share * 100)}%`

/** How compatible the members' values are, least compatible pairs first. */
export function CoherenceCard({
  orgId,
  names,
}: {
  orgId: string
  names: ReadonlyMap<string, string>
}) {
  const coherence = useCoherence(orgId, [...names.keys()].sort())
  return (
    <Card title="Coherence" note="Least compatible pairs first">
      <Loaded query={coherence} lines={4}>
        {(data) => (
          <div className="grid gap-4">
            <p className="text-sm text-ink-soft">
              <span className="font-serif text-2xl font-semibold text-ink tabular">
                {percent(data.fleet_score)}
              </span>{' '}
              across {data.pair_count} {data.pair_count === 1 ? 'pair' : 'pairs'}
            </p>
            <ul className="grid gap-3">
              {[...(data.pairwise_matrix ?? [])]
                .sort((a, b) => a.score - b.score)
                .slice(0, PAIRS_SHOWN)
                .map((pair) => (
                  <li key={`${pair.agent_a} ${pair.agent_b}`} className="grid gap-1 text-sm">
                    <span className="flex justify-between gap-3">
                      <span className="min-w-0 break-words">
                        <AgentLink agentId={pair.agent_a} />{' '}
                        <span className="text-ink-faint">and</span>{' '}
                        <AgentLink agentId={pair.agent_b} />
                      </span>
                      <span className="whitespace-nowrap text-ink-soft tabular">
                        {percent(pair.score)}
                      </span>
                    </span>
                    <Bar share={pair.score} tone={pair.compatible ? 'good' : 'bad'} />
                  </li>
                ))}
            </ul>
          </div>
        )}
      </Loaded>
    </Card>
  )
}
