import { CHECKPOINTS_MIN } from '@touchstone/protocol/score'
import { AssuranceFacts } from '../../../ui/assurance.tsx'
import { Bar } from '../../../ui/bar.tsx'
import { Card } from '../../../ui/card.tsx'
import { cardGaps } from '../../../ui/card-gaps.ts'
import { Facts } from '../../../ui/facts.tsx'
import { ScoreGauge } from '../../../ui/gauge.tsx'
import { Change, sentenceCase } from '../../../ui/marks.tsx'
import { Ago } from '../../../ui/time.tsx'
import type { Reputation } from './queries.ts'

/** The score with its assurance, interval, confidence and amount of evidence. */
export function ScoreCard({ reputation }: { reputation: Reputation }) {
  const { score, grade, score_interval: interval, is_eligible: isRated } = reputation
  return (
    <Card>
      <div className="flex justify-center">
        <ScoreGauge
          score={score}
          grade={grade}
          interval={interval}
          {...(isRated ? {} : { note: 'Not yet rated' })}
        />
      </div>
      {isRated ? <Figures reputation={reputation} /> : <RatingProgress reputation={reputation} />}
    </Card>
  )
}

function Figures({ reputation }: { reputation: Reputation }) {
  const { score_interval: interval, conservative_score: conservative } = reputation
  return (
    <div className="mt-3 grid gap-4">
      <AssuranceFacts assurance={reputation.assurance} assuredScore={reputation.assured_score} />
      <Facts
        valuesAtEnd
        facts={[
          {
            label: interval === null ? 'Interval' : `${Math.round(100 * interval.level)}% interval`,
            value: interval === null ? 'None' : <b>{`${interval.low} to ${interval.high}`}</b>,
          },
          { label: 'Conservative score', value: <b>{conservative ?? 'None'}</b> },
          {
            label: '30-day change',
            value: (
              <b>
                <Change points={reputation.trend_30d} />
              </b>
            ),
          },
          {
            label: 'Confidence',
            value: `${sentenceCase(reputation.confidence)}, ${reputation.checkpoint_count.toLocaleString('en')} checkpoints`,
          },
          { label: 'Card gaps, 90 days', value: cardGaps(reputation.reclassified) },
          { label: 'Computed', value: <Ago at={reputation.computed_at} /> },
        ]}
      />
    </div>
  )
}

function RatingProgress({ reputation }: { reputation: Reputation }) {
  const { checkpoint_count: count } = reputation
  return (
    <div className="mt-2 grid gap-2 text-sm">
      <p className="text-ink-soft">
        {count} of {CHECKPOINTS_MIN} checkpoints required for a score
      </p>
      <Bar share={Math.min(count, CHECKPOINTS_MIN) / CHECKPOINTS_MIN} />
    </div>
  )
}
