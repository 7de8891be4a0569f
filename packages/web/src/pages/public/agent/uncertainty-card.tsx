import { Card } from '../../../ui/card.tsx'
import { GRADES_IN_ORDER, gradeColour } from '../../../ui/grade.tsx'
import type { Reputation } from './queries.ts'

/** The probability of each grade, and the forecast of the score without new violations. */
export function UncertaintyCard({ reputation }: { reputation: Reputation }) {
  const { grade_probability: probability, recovery_forecast: forecast, score } = reputation
  return (
    <Card title="Uncertainty and forecast">
      <div className="grid gap-5">
        {probability === null ? null : <Probability probability={probability} />}
        {forecast === null || score === null ? null : <Forecast now={score} forecast={forecast} />}
      </div>
    </Card>
  )
}

function Probability({ probability }: { probability: Record<string, number> }) {
  const grades = GRADES_IN_ORDER.filter((grade) => (probability[grade] ?? 0) >= 0.001)
  return (
    <div className="grid gap-2">
      <h3 className="text-sm text-ink-soft">Grade probability</h3>
      <div aria-hidden="true" className="flex h-3 gap-0.5 overflow-hidden rounded">
        {grades.map((grade) => (
          <span
            key={grade}
            style={{ flexGrow: probability[grade], backgroundColor: gradeColour(grade) }}
          />
        ))}
      </div>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {grades.map((grade) => (
          <li key={grade} className="tabular">
            <span className="font-mono font-semibold" style={{ color: gradeColour(grade) }}>
              {grade}
            </span>{' '}
            {percent(probability[grade] ?? 0)}
          </li>
        ))}
      </ul>
    </div>
  )
}

function percent(share: number): string {
  return share > 0.9995 ? '100%' : `${(100 * share).toFixed(1)}%`
}

type ForecastProps = { now: number; forecast: readonly { days: number; score: number }[] }

function Forecast({ now, forecast }: ForecastProps) {
  return (
    <div className="grid gap-2">
      <h3 className="text-sm text-ink-soft">Forecast without new violations</h3>
      <ol className="flex justify-between gap-2 text-center">
        {[{ days: 0, score: now }, ...forecast].map(({ days, score }) => (
          <li key={days} className="grid">
            <span className="font-semibold tabular">{score}</span>
            <span className="text-xs text-ink-faint">{days === 0 ? 'Now' : `${days} d`}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}
