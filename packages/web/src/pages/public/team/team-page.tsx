import { useParams } from '@tanstack/react-router'
import { TEAM_ASSESSMENTS_MIN } from '@touchstone/protocol/teams'
import { ApiError } from '@touchstone/sdk'
import { Card } from '../../../ui/card.tsx'
import { DefinitionList } from '../../../ui/definition-list.tsx'
import { ScoreGauge } from '../../../ui/gauge.tsx'
import { HistoryChart } from '../../../ui/history-chart.tsx'
import { Change } from '../../../ui/marks.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { BadgeCard } from '../agent/badge-card.tsx'
import { ComponentsCard } from '../agent/components-card.tsx'
import { DemoLabel } from '../demo-label.tsx'
import { type TeamReputation, useTeamHistory, useTeamProof, useTeamReputation } from './queries.ts'
import { RosterCard, TeamCardCard } from './roster-card.tsx'

/** What is published of a team. */
export function TeamPage() {
  const { teamId } = useParams({ from: '/site/t/$teamId' })
  const reputation = useTeamReputation(teamId)
  if (reputation.error instanceof ApiError && reputation.error.status === 404) {
    return <UnknownTeam teamId={teamId} />
  }
  const name = reputation.data?.team_name ?? 'Team'
  return (
    <Page
      title={name}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {name}
          <DemoLabel id={teamId} />
          {reputation.data === undefined ? null : <Pill tone="accent">{reputation.data.tier}</Pill>}
        </span>
      }
      lead={<span className="font-mono text-sm break-all text-ink-faint">{teamId}</span>}
    >
      <Loaded query={reputation} lines={5}>
        {(data) => <Rating reputation={data} />}
      </Loaded>
    </Page>
  )
}

function Rating({ reputation }: { reputation: TeamReputation }) {
  const { team_id: teamId, components } = reputation
  return (
    <div className="grid gap-5 lg:grid-cols-[21rem_minmax(0,1fr)] lg:items-start">
      <div className="grid gap-5">
        <ScoreFigures reputation={reputation} />
        <Proof teamId={teamId} />
        <RosterCard teamId={teamId} />
        <TeamCardCard teamId={teamId} />
      </div>
      <div className="grid min-w-0 gap-5">
        {components.length === 0 ? null : <ComponentsCard components={components} />}
        <TeamHistory teamId={teamId} />
        <BadgeCard subject={{ kind: 'team', id: teamId }} />
      </div>
    </div>
  )
}

function ScoreFigures({ reputation }: { reputation: TeamReputation }) {
  const { score, grade, is_eligible: isRated, total_assessments: assessments } = reputation
  return (
    <Card>
      <div className="flex justify-center">
        <ScoreGauge score={score} grade={grade} {...(isRated ? {} : { note: 'not rated yet' })} />
      </div>
      {isRated ? null : (
        <p className="mb-3 text-sm text-ink-soft">
          {assessments} of {TEAM_ASSESSMENTS_MIN} assessments. A team is rated once it has them.
        </p>
      )}
      <DefinitionList
        items={[
          ['Members', String(reputation.member_count)],
          ['Assessments', assessments.toLocaleString('en')],
          ['Last assessed', <Ago key="l" at={reputation.last_assessed} />],
          [
            '30 days',
            <b key="t">
              <Change points={reputation.trend_30d} />
            </b>,
          ],
          ['Confidence', reputation.confidence],
          ['Computed', <Ago key="c" at={reputation.computed_at} />],
        ]}
      />
    </Card>
  )
}

function TeamHistory({ teamId }: { teamId: string }) {
  const history = useTeamHistory(teamId)
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
                note: `${week.total_assessments.toLocaleString('en')} assessments`,
              }))}
            />
          )
        }
      </Loaded>
    </Card>
  )
}

function Proof({ teamId }: { teamId: string }) {
  const proof = useTeamProof(teamId)
  return (
    <Card title="Evidence" note="What the score was computed from, as the service states it.">
      <Loaded query={proof}>
        {({ verified, verification }) =>
          verification === null ? (
            <Empty title="Nothing was computed yet" />
          ) : (
            <DefinitionList
              items={[
                [
                  'Chain of assessments',
                  <Pill key="p" tone={verified ? 'good' : 'bad'}>
                    {verified ? 'intact' : 'broken'}
                  </Pill>,
                ],
                ['Proof', <Mono key="h" text={verification.proof_hash} />],
                ['Head of the chain', <Mono key="c" text={verification.assessment_chain_head} />],
                ['Latest assessment', <Mono key="l" text={verification.latest_assessment_id} />],
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  )
}

function Mono({ text }: { text: string | null }) {
  return <span className="font-mono text-xs break-all">{text ?? 'none'}</span>
}

function UnknownTeam({ teamId }: { teamId: string }) {
  return (
    <Page title="No such team">
      <Card>
        <Empty title={`Nothing is published of ${teamId}`}>
          The id may be wrong, or the team is private. Its organisation sees it after signing in.
        </Empty>
      </Card>
    </Page>
  )
}
