import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { useAgents } from '../../session/use-agents.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/states.tsx'
import { AgentChoice } from './agent-choice.tsx'
import { teamsKey } from './queries.ts'
import { NEW_TEAM, type TeamDetails, TeamFields, teamBody } from './team-fields.tsx'

/** The API accepts 2 to 50 members. */
const MEMBERS_MIN = 2

type CreateTeamDialogProps = { orgId: string; open: boolean; onClose: () => void }

export function CreateTeamDialog({ orgId, open, onClose }: CreateTeamDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Create team">
      <TeamForm orgId={orgId} />
    </Dialog>
  )
}

function TeamForm({ orgId }: { orgId: string }) {
  const navigate = useNavigate()
  const agents = useAgents()
  const [details, setDetails] = useState<TeamDetails>(NEW_TEAM)
  const [chosen, setChosen] = useState<string[]>([])
  const create = useAction({
    run: () =>
      api.request('POST', '/v1/teams', {
        body: {
          org_id: orgId,
          ...teamBody(details),
          agent_ids: chosen,
        },
      }),
    refresh: [teamsKey(orgId)],
    onDone: ({ team }) =>
      void navigate({ to: '/o/$orgId/teams/$teamId', params: { orgId, teamId: team.id } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TeamFields value={details} onChange={setDetails} />
      <Loaded query={agents}>
        {(data) => <AgentChoice agents={data.agents} chosen={chosen} onChange={setChosen} />}
      </Loaded>
      <div className="flex justify-end">
        <Button
          type="submit"
          tone="primary"
          busy={create.isPending}
          disabled={chosen.length < MEMBERS_MIN}
        >
          Create team
        </Button>
      </div>
    </form>
  )
}
