import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { useCanEdit } from '../../session/use-can-edit.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { DemoLabel } from '../../ui/demo-label.tsx'
import { Page } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Loaded } from '../../ui/states.tsx'
import { CoherenceCard } from './coherence-card.tsx'
import { FaultLinesCard } from './fault-lines-card.tsx'
import { ForecastCard } from './forecast-card.tsx'
import { type Member, type Team, teamKey, teamsKey, useIntelligence, useTeam } from './queries.ts'
import { RecommendationCard } from './recommendation-card.tsx'
import { ReputationCard } from './reputation-card.tsx'
import { RosterCard } from './roster-card.tsx'
import { ArchiveDialog, EditTeamDialog } from './team-dialogs.tsx'

export function TeamPage() {
  const { orgId, teamId } = useParams({ from: '/o/$orgId/teams/$teamId' })
  const team = useTeam(teamId)
  const name = team.data?.team.name ?? 'Team'
  return (
    <Page
      title={name}
      heading={
        <span className="flex flex-wrap items-center gap-3">
          {name}
          <DemoLabel id={teamId} name={name} />
          {team.data?.team.status === 'archived' ? <Pill>Archived</Pill> : null}
        </span>
      }
      lead={team.data?.team.description ?? <span className="font-mono text-sm">{teamId}</span>}
      actions={team.data === undefined ? undefined : <Actions team={team.data.team} />}
    >
      <Loaded query={team} lines={5}>
        {({ team: data, members }) => <Parts orgId={orgId} team={data} members={members} />}
      </Loaded>
    </Page>
  )
}

function Parts(props: { orgId: string; team: Team; members: readonly Member[] }) {
  const { orgId, team, members } = props
  const intelligence = useIntelligence(orgId, team.id)
  const names = new Map(members.map((member) => [member.agent_id, member.agent_name]))
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_21rem]">
      <div className="grid min-w-0 gap-6">
        <Loaded query={intelligence} lines={5}>
          {(found) => (
            <>
              <FaultLinesCard orgId={orgId} team={team} names={names} latest={found.faultLines} />
              <ForecastCard orgId={orgId} team={team} found={found} />
              <RecommendationCard
                orgId={orgId}
                team={team}
                latest={found.recommendation}
                hasFaultLines={found.faultLines !== null}
              />
            </>
          )}
        </Loaded>
      </div>
      {/* On a narrow screen the team's own data comes before the analyses. */}
      <div className="-order-1 grid min-w-0 gap-6 lg:order-none">
        <ReputationCard teamId={team.id} />
        <RosterCard orgId={orgId} team={team} members={members} />
        <CoherenceCard orgId={orgId} names={names} />
      </div>
    </div>
  )
}

function Actions({ team }: { team: Team }) {
  const [open, setOpen] = useState<'edit' | 'archive'>()
  const canEdit = useCanEdit()
  const recompute = useAction({
    run: () =>
      api.request('POST', '/v1/teams/{team_id}/reputation/recompute', {
        params: { team_id: team.id },
      }),
    done: ({ score }) => (score === null ? 'No score yet' : `New score: ${score}`),
    refresh: [teamKey(team.id)],
  })
  const close = () => setOpen(undefined)
  const params = { orgId: team.org_id, teamId: team.id }
  return (
    <>
      <Link to="/o/$orgId/policies/teams/$teamId" params={params} className={buttonClass()}>
        Policy
      </Link>
      {team.status === 'archived' ? null : (
        <>
          {canEdit ? (
            <>
              <Button onClick={() => setOpen('archive')}>Archive</Button>
              <Button onClick={() => setOpen('edit')}>Edit</Button>
            </>
          ) : null}
          <Button busy={recompute.isPending} onClick={() => recompute.mutate()}>
            Recompute score
          </Button>
          <Link
            to="/o/$orgId/risk"
            params={{ orgId: team.org_id }}
            search={{ team: team.id }}
            className={buttonClass('primary')}
          >
            Assess risk
          </Link>
        </>
      )}
      <EditTeamDialog team={team} open={open === 'edit'} onClose={close} />
      <ArchiveDialog
        team={team}
        open={open === 'archive'}
        onClose={close}
        refresh={teamsKey(team.org_id)}
      />
    </>
  )
}
