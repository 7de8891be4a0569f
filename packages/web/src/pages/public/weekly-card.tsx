import type { UseQueryResult } from '@tanstack/react-query'
import { Card } from '../../ui/card.tsx'
import type { Grade } from '../../ui/grade.tsx'
import { HistoryChart } from '../../ui/history-chart.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'

type Week = { week_start: string; score: number; grade: Grade }

type WeeklyCardProps<W extends Week> = {
  history: UseQueryResult<{ snapshots: W[] }>
  /** The amount of evidence behind a week's score. */
  noteOf: (week: W) => string
}

/** The weekly score history of an agent or a team. */
export function WeeklyCard<W extends Week>({ history, noteOf }: WeeklyCardProps<W>) {
  return (
    <Card title="Score history" note="Last score of each week">
      <Loaded query={history} lines={5}>
        {({ snapshots }) =>
          snapshots.length === 0 ? (
            <Empty title="No score history yet" />
          ) : (
            <HistoryChart
              label="Weekly scores"
              points={snapshots.toReversed().map((week) => ({
                weekStart: week.week_start,
                score: week.score,
                grade: week.grade,
                note: noteOf(week),
              }))}
            />
          )
        }
      </Loaded>
    </Card>
  )
}
