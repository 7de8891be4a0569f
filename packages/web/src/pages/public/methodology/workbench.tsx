import {
  COMPONENTS,
  type ComponentKey,
  compositeScore,
  standingOf,
} from '@touchstone/protocol/score'
import { useState } from 'react'
import { Card } from '../../../ui/card.tsx'
import { ScoreGauge } from '../../../ui/gauge.tsx'

/** The component scores of the worked example in the methodology document. */
const START: Record<ComponentKey, number> = {
  integrity_ratio: 950,
  compliance: 279,
  drift_stability: 900,
  trace_completeness: 800,
  coherence_compatibility: 790,
}

/** Five sliders and the resulting score, computed as the service does. */
export function Workbench() {
  const [scores, setScores] = useState(START)
  const score = compositeScore(scores)
  return (
    <Card
      title="Five components make one score"
      note="Move the sliders to see the weight of each component"
    >
      <div className="grid gap-6 sm:grid-cols-[minmax(0,1fr)_16rem] sm:items-center">
        <ul className="grid gap-4">
          {COMPONENTS.map(({ key, label, weightTenths }) => (
            <li key={key} className="grid gap-1">
              <label htmlFor={key} className="flex flex-wrap justify-between gap-x-3 text-sm">
                <span>
                  <b className="font-medium">{label}</b>{' '}
                  <span className="text-ink-faint">{10 * weightTenths}%</span>
                </span>
                <span className="tabular">
                  {scores[key]} × {weightTenths / 10} ={' '}
                  <b>{((weightTenths * scores[key]) / 10).toFixed(1)}</b>
                </span>
              </label>
              <input
                id={key}
                type="range"
                min="0"
                max="1000"
                value={scores[key]}
                onChange={(event) => setScores({ ...scores, [key]: Number(event.target.value) })}
                className="w-full accent-[var(--accent)]"
              />
            </li>
          ))}
        </ul>
        <div className="flex justify-center" aria-live="polite">
          <ScoreGauge score={score} grade={standingOf(score).grade} note={standingOf(score).tier} />
        </div>
      </div>
    </Card>
  )
}
