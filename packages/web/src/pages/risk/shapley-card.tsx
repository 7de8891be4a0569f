import { AgentLink } from '../../names/agent-link.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import type { TeamAssessment } from './queries.ts'

/**
 * Each member's contribution to the team risk, as bars to the right (adds) or left (reduces) of
 * zero.
 */
export function ShapleyCard({ assessment }: { assessment: TeamAssessment }) {
  const { risk_attribution: attribution, shapley_values: values, shapley_method: how } = assessment
  const rows = Object.entries(attribution).sort((a, b) => b[1] - a[1])
  const largest = Math.max(...rows.map(([, share]) => Math.abs(share)), 0.0001)
  return (
    <Card
      title="Risk by member"
      note={
        how.method === 'exact'
          ? 'Exact Shapley values'
          : `Shapley values sampled over ${how.permutations} permutations, standard error ${how.std_error}`
      }
    >
      <ul className="grid gap-3">
        {rows.map(([agentId, share]) => (
          <li key={agentId} className="grid gap-1 text-sm">
            <span className="flex flex-wrap justify-between gap-x-3">
              <AgentLink agentId={agentId} />
              <span className="text-ink-soft tabular">
                <span className={share > 0 ? 'text-bad' : 'text-good'}>{signed(share)}</span> risk,
                coherence {(values[agentId] ?? 0).toFixed(4)}
              </span>
            </span>
            <Stroke share={share / largest} />
          </li>
        ))}
      </ul>
      <p className="mt-4 text-xs text-ink-faint">
        Bars to the right add to the team’s risk; bars to the left reduce it.
      </p>
    </Card>
  )
}

function signed(share: number): string {
  return `${share < 0 ? '−' : '+'}${Math.abs(share).toFixed(4)}`
}

function Stroke({ share }: { share: number }) {
  const width = Math.min(1, Math.abs(share)) * 50
  return (
    <span aria-hidden="true" className="relative block h-2 rounded-full bg-sunken">
      <span
        style={{ width: `${width}%` }}
        className={classNames(
          'absolute inset-y-0',
          share > 0 ? 'left-1/2 rounded-r-full bg-bad' : 'right-1/2 rounded-l-full bg-good',
        )}
      />
      <span className="absolute inset-y-0 left-1/2 w-px bg-ink-faint" />
    </span>
  )
}
