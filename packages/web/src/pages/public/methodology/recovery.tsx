import { componentScores, VIOLATION_HALF_LIFE_HOURS } from '@touchstone/protocol/score'
import { Card } from '../../../ui/card.tsx'

const DAYS = Array.from({ length: 57 }, (_, day) => day)
const LABELLED = [0, 7, 14, 28, 56]
const WIDTH = 420
const HEIGHT = 150
const xOf = (day: number) => 14 + (day / 56) * (WIDTH - 28)
const yOf = (score: number) => HEIGHT - 24 - (score / 1000) * (HEIGHT - 44)

/** The compliance score so many days after a single violation, computed as the service does. */
function complianceAfter(days: number): number {
  const timestampMs = -days * 86_400_000
  return componentScores({
    nowMs: 0,
    checkpoints: { scored: 100, clear: 99, excluded: 0 },
    violations: [{ sessionId: 'one', timestampMs, cardGap: false }],
    sessions: { total: 0, unstable: 0 },
    tracesVerified: 100,
    peers: { count: 0, pairScoreE4Sum: 0 },
    adjustmentE4: 0,
  }).compliance
}

export function Recovery() {
  const path = DAYS.map((day) => `${xOf(day).toFixed(1)} ${yOf(complianceAfter(day)).toFixed(1)}`)
  return (
    <Card
      title="Recovery after a violation"
      note={`The weight of a violation halves every ${VIOLATION_HALF_LIFE_HOURS / 24} days. Compliance after one violation:`}
    >
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Compliance after one violation: ${LABELLED.map((day) => `${complianceAfter(day)} after ${day} days`).join(', ')}`}
        className="w-full"
      >
        <line x1="14" x2={WIDTH - 14} y1={yOf(0)} y2={yOf(0)} stroke="var(--line)" />
        <path d={`M ${path.join(' L ')}`} fill="none" stroke="var(--accent)" strokeWidth="2" />
        {LABELLED.map((day) => (
          <g key={day} textAnchor={anchorOf(day)}>
            <circle cx={xOf(day)} cy={yOf(complianceAfter(day))} r="3.5" fill="var(--accent)" />
            <text
              x={xOf(day)}
              y={yOf(complianceAfter(day)) - 9}
              className="fill-ink text-[12px] font-semibold"
            >
              {complianceAfter(day)}
            </text>
            <text x={xOf(day)} y={HEIGHT - 6} className="fill-ink-faint text-[11px]">
              {day === 56 ? '56 days' : day}
            </text>
          </g>
        ))}
      </svg>
    </Card>
  )
}

function anchorOf(day: number): 'start' | 'middle' | 'end' {
  if (day === 0) return 'start'
  return day === 56 ? 'end' : 'middle'
}
