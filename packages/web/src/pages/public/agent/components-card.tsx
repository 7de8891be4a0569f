import { Bar } from '../../../ui/bar.tsx'
import { Card } from '../../../ui/card.tsx'
import { Pill } from '../../../ui/pill.tsx'

export type ShownComponent = {
  key: string
  label: string
  score: number | null
  weight: number
  weighted_score: number | null
  factors: readonly string[]
  basis?: 'measured' | 'default' | null
}

/** The five components of a score, with the factors behind each. */
export function ComponentsCard({ components }: { components: readonly ShownComponent[] }) {
  return (
    <Card title="Score components" note="Each from 0 to 1000">
      <ul className="grid gap-5">
        {components.map((component) => (
          <ComponentRow key={component.key} component={component} />
        ))}
      </ul>
    </Card>
  )
}

function ComponentRow({ component }: { component: ShownComponent }) {
  const { label, score, weight, weighted_score: weighted, factors, basis } = component
  return (
    <li className="grid gap-1.5">
      <div className="flex items-baseline justify-between gap-x-4">
        <p className="flex min-w-0 flex-wrap items-center gap-x-2">
          <span className="font-medium">{label}</span>
          <span className="text-xs text-ink-faint">{Math.round(100 * weight)}% of the score</span>
          {basis === 'default' ? <Pill tone="info">Default, not measured</Pill> : null}
        </p>
        <p className="whitespace-nowrap tabular">
          <span className="font-semibold">{score}</span>
          {weighted === null ? null : (
            <span className="ml-2 text-xs text-ink-faint">{weighted.toFixed(1)} points</span>
          )}
        </p>
      </div>
      {score === null ? null : (
        <>
          <Bar share={score / 1000} tone={basis === 'default' ? 'neutral' : 'accent'} />
          {factors.map((factor) => (
            <p key={factor} className="text-sm text-ink-soft">
              {factor}
            </p>
          ))}
        </>
      )}
    </li>
  )
}
