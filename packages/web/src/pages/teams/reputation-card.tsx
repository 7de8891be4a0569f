import { Bar } from '../../ui/bar.tsx'
import { Card } from '../../ui/card.tsx'
import { GradeMark } from '../../ui/grade.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { useTeamReputation } from './queries.ts'

const FULL_SCORE = 1000

/** The team's score and its components. */
export function ReputationCard({ teamId }: { teamId: string }) {
  const reputation = useTeamReputation(teamId)
  return (
    <Card title="Score">
      <Loaded query={reputation} lines={4}>
        {(data) => (
          <div className="grid gap-4">
            <div className="flex items-center gap-3">
              <GradeMark grade={data.grade} size="large" />
              <div>
                <p className="font-serif text-2xl leading-tight font-semibold tabular">
                  {data.score ?? 'Not yet rated'}
                </p>
                <p className="text-xs text-ink-faint">
                  {data.total_assessments}{' '}
                  {data.total_assessments === 1 ? 'assessment' : 'assessments'} ·{' '}
                  <Ago at={data.last_assessed} />
                </p>
              </div>
            </div>
            {data.is_eligible ? null : (
              <p className="text-sm text-ink-soft">
                A team is rated once it has enough risk assessments.
              </p>
            )}
            <ul className="grid gap-2.5">
              {data.components.map((component) => (
                <li key={component.key} className="grid gap-1 text-sm">
                  <span className="flex justify-between gap-3">
                    {component.label}
                    <span className="text-ink-soft tabular">{component.score}</span>
                  </span>
                  <Bar share={component.score / FULL_SCORE} />
                </li>
              ))}
            </ul>
          </div>
        )}
      </Loaded>
    </Card>
  )
}
