import { Card } from '../../../ui/card.tsx'
import { HistoryChart } from '../../../ui/history-chart.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { useHistory } from './queries.ts'

export function HistoryCard({ agentId }: { agentId: string }) {
  const history = useHistory(agentId)
  return (
    <Card title="Week by week" note="The last score of each week, over the grades.">
      <Loaded query={history} lines={5}>
        {({ snapshots }) =>
          snapshots.length === 0 ? (
            <Empty title="No week has ended with a score yet" />
          ) : (
            <HistoryChart
              label="Weekly scores"
              points={snapshots.toReversed().map((week) => ({
                weekStart: week.week_start,
                score: week.score,
                grade: week.grade,
                note: `${week.checkpoint_count.toLocaleString('en')} checkpoints`,
              }))}
            />
          )
        }
      </Loaded>
    </Card>
  )
}
