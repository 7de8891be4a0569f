import {
  CHECKPOINTS_MIN,
  COMPONENTS,
  CONFIDENCE_LEVELS,
  GRADES,
  METHODOLOGY,
} from '@touchstone/protocol/score'
import { TEAM_COMPONENTS } from '@touchstone/protocol/teams'
import { buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { GradeMark, gradeColour } from '../../../ui/grade.tsx'
import { sentenceCase } from '../../../ui/marks.tsx'
import { Page } from '../../../ui/page.tsx'
import { Table } from '../../../ui/table.tsx'
import { Assurance } from './assurance.tsx'
import { Recovery } from './recovery.tsx'
import { Workbench } from './workbench.tsx'

/** The methodology, with its numbers read from the code that computes every score. */
export function MethodologyPage() {
  return (
    <Page
      title="Methodology"
      lead={`Version ${METHODOLOGY}. The numbers on this page come from the code that computes the scores. The full methodology explains them.`}
      actions={
        <a href="/docs/methodology" className={buttonClass('primary')}>
          Read the full methodology
        </a>
      }
    >
      <div className="grid gap-5">
        <Workbench />
        <Assurance />
        <div className="grid gap-5 lg:grid-cols-2 lg:items-start">
          <Grades />
          <div className="grid gap-5">
            <Confidence />
            <Recovery />
          </div>
        </div>
        <TeamWeights />
      </div>
    </Page>
  )
}

function Grades() {
  return (
    <Card title="Seven grades" padded={false}>
      <Table
        caption="Grades"
        columns={[
          {
            key: 'grade',
            label: 'Grade',
            ownLine: false,
            cell: (row) => <GradeMark grade={row.grade} />,
          },
          { key: 'tier', label: 'Tier', cell: (row) => row.tier },
          {
            key: 'bounds',
            label: 'Scores',
            align: 'right',
            cell: (row) => `${row.scoreMin} to ${upTo(row.scoreMin)}`,
          },
        ]}
        rows={GRADES}
        keyOf={(row) => row.grade}
      />
    </Card>
  )
}

function upTo(scoreMin: number): number {
  const above = GRADES[GRADES.findIndex((row) => row.scoreMin === scoreMin) - 1]
  return above === undefined ? 1000 : above.scoreMin - 1
}

function Confidence() {
  const rated = CONFIDENCE_LEVELS.filter(({ checkpointsMin }) => checkpointsMin > 0)
  return (
    <Card
      title="Confidence levels"
      note={`An agent with fewer than ${CHECKPOINTS_MIN} checkpoints has no score`}
    >
      <ol className="grid grid-cols-3 gap-2">
        {rated.toReversed().map(({ confidence, checkpointsMin }) => (
          <li key={confidence} className="border-l-2 border-accent pl-3">
            <p className="font-medium">{sentenceCase(confidence)}</p>
            <p className="text-sm text-ink-soft tabular">
              {checkpointsMin.toLocaleString('en')} or more checkpoints
            </p>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function TeamWeights() {
  return (
    <Card title="Teams" note="Team scores use different components, measured by risk assessments">
      <WeightBar parts={TEAM_COMPONENTS.map(({ label, percent }) => ({ label, percent }))} />
    </Card>
  )
}

const SHADES = COMPONENTS.map((_, at) => 0.95 - 0.17 * at)

/** A stacked bar of weights with a legend. */
function WeightBar({ parts }: { parts: readonly { label: string; percent: number }[] }) {
  return (
    <div className="grid gap-3">
      <div aria-hidden="true" className="flex h-4 gap-0.5 overflow-hidden rounded">
        {parts.map(({ label, percent }, at) => (
          <span
            key={label}
            style={{
              flexGrow: percent,
              backgroundColor: gradeColour('bbb'),
              opacity: SHADES[at],
            }}
          />
        ))}
      </div>
      <ul className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {parts.map(({ label, percent }) => (
          <li key={label}>
            <b className="tabular">{percent}%</b> <span className="text-ink-soft">{label}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
