import { useParams } from '@tanstack/react-router'
import { TEAM_ASSESSMENTS_MIN } from '@touchstone/protocol/teams'
import { Card } from '../../../ui/card.tsx'
import { DemoLabel } from '../../../ui/demo-label.tsx'
import { Facts, Id } from '../../../ui/facts.tsx'
import { ScoreGauge } from '../../../ui/gauge.tsx'
import { Change, sentenceCase } from '../../../ui/marks.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { BadgeCard } from '../agent/badge-card.tsx'
import { ComponentsCard } from '../agent/components-card.tsx'
import { isNotFound, SubjectNotFound } from '../subject-not-found.tsx'
import { WeeklyCard } from '../weekly-card.tsx'
import { type TeamReputation, useTeamHistory, useTeamProof, useTeamReputation } from './queries.ts'
import { RosterCard, TeamCardCard } from './roster-card.tsx'

/** The public page of a team. */
export function TeamPage() {
  const { teamId } = useParams({ from: '/site/t/$teamId' })
  const reputation = useTeamReputation(teamId)
  if (isNotFound(reputation.error)) return <SubjectNotFound what="team" id={teamId} />
  const name = reputation.data?.team_name ?? 'Team'
  return (
    <Page
      title={name}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {name}
          <DemoLabel id={teamId} name={name} />
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
        <ScoreGauge score={score} grade={grade} {...(isRated ? {} : { note: 'Not yet rated' })} />
      </div>
      {isRated ? null : (
        <p className="mb-3 text-sm text-ink-soft">
          {assessments} of the {TEAM_ASSESSMENTS_MIN} assessments required for a score
        </p>
      )}
      <Facts
        valuesAtEnd
        facts={[
          { label: 'Members', value: reputation.member_count },
          { label: 'Assessments', value: assessments.toLocaleString('en') },
          { label: 'Last assessed', value: <Ago at={reputation.last_assessed} /> },
          {
            label: '30-day change',
            value: (
              <b>
                <Change points={reputation.trend_30d} />
              </b>
            ),
          },
          { label: 'Confidence', value: sentenceCase(reputation.confidence) },
          { label: 'Computed', value: <Ago at={reputation.computed_at} /> },
        ]}
      />
    </Card>
  )
}

function TeamHistory({ teamId }: { teamId: string }) {
  return (
    <WeeklyCard
      history={useTeamHistory(teamId)}
      noteOf={({ total_assessments: count }) =>
        count === 1 ? '1 assessment' : `${count.toLocaleString('en')} assessments`
      }
    />
  )
}

function Proof({ teamId }: { teamId: string }) {
  const proof = useTeamProof(teamId)
  return (
    <Card title="Evidence" note="As reported by the service">
      <Loaded query={proof}>
        {({ verified, verification }) =>
          verification === null ? (
            <Empty title="No score computed yet" />
          ) : (
            <Facts
              facts={[
                {
                  label: 'Assessment chain',
                  value: (
                    <Pill tone={verified ? 'good' : 'bad'}>{verified ? 'Intact' : 'Broken'}</Pill>
                  ),
                },
                { label: 'Proof hash', value: <Id>{verification.proof_hash}</Id> },
                {
                  label: 'Chain head',
                  value: <Id>{verification.assessment_chain_head}</Id>,
                },
                { label: 'Latest assessment', value: <Id>{verification.latest_assessment_id}</Id> },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  )
}
