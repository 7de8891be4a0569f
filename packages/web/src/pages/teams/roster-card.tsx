import { useState } from 'react'
import { AgentLink } from '../../names/agent-link.tsx'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { useAgents } from '../../session/use-agents.ts'
import { useCanEdit } from '../../session/use-can-edit.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { AgentChoice } from './agent-choice.tsx'
import { type Member, type Team, teamKey, teamsKey, useRosterHistory } from './queries.ts'

const MEMBERS_MIN = 2

type RosterCardProps = { orgId: string; team: Team; members: readonly Member[] }

export function RosterCard({ orgId, team, members }: RosterCardProps) {
  const [adding, setAdding] = useState(false)
  const canEdit = useCanEdit() && team.status === 'active'
  const refresh = [teamKey(team.id), teamsKey(orgId)]
  const nameOf = (agentId: string) =>
    members.find((member) => member.agent_id === agentId)?.agent_name ?? agentId
  const remove = useAction({
    run: (agentId: string) =>
      api.request('DELETE', '/v1/teams/{team_id}/members/{agent_id}', {
        params: { team_id: team.id, agent_id: agentId },
      }),
    done: ({ agent_id }) => `Removed ${nameOf(agent_id)} from the team`,
    refresh,
  })
  return (
    <Card
      title="Members"
      padded={false}
      actions={canEdit ? <Button onClick={() => setAdding(true)}>Add</Button> : undefined}
    >
      <ul>
        {members.map((member) => (
          <li
            key={member.agent_id}
            className="flex items-center justify-between gap-3 border-b border-line px-5 py-2 text-sm last:border-0"
          >
            <span className="min-w-0">
              <AgentLink agentId={member.agent_id} className="block" />
              <span className="text-xs text-ink-faint">
                added <Ago at={member.added_at} />
              </span>
            </span>
            {canEdit && members.length > MEMBERS_MIN ? (
              <Button
                tone="quiet"
                aria-label={`Remove ${member.agent_name} from the team`}
                disabled={remove.isPending}
                onClick={() => remove.mutate(member.agent_id)}
              >
                Remove
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      <RosterHistory teamId={team.id} />
      <AddDialog team={team} members={members} open={adding} onClose={() => setAdding(false)} />
    </Card>
  )
}

function RosterHistory({ teamId }: { teamId: string }) {
  const history = useRosterHistory(teamId)
  return (
    <details className="border-t border-line px-5 py-3 text-sm">
      <summary className="text-ink-soft">Membership history</summary>
      <Loaded query={history}>
        {({ changes }) => (
          <ul className="mt-2 grid gap-1 text-ink-soft">
            {changes.map((change) => (
              <li key={change.id} className="break-words">
                <span className="font-mono text-xs">{change.agent_id ?? 'erased agent'}</span>{' '}
                {change.change_type === 'agent_added' ? 'joined' : 'left'}{' '}
                <Ago at={change.created_at} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </details>
  )
}

type AddDialogProps = {
  team: Team
  members: readonly Member[]
  open: boolean
  onClose: () => void
}

function AddDialog({ team, members, open, onClose }: AddDialogProps) {
  const agents = useAgents()
  const [chosen, setChosen] = useState<string[]>([])
  const add = useAction({
    run: () =>
      api.request('POST', '/v1/teams/{team_id}/members', {
        params: { team_id: team.id },
        body: { agent_ids: chosen },
      }),
    done: ({ added }) => (added.length === 1 ? 'Added 1 agent' : `Added ${added.length} agents`),
    refresh: [teamKey(team.id), teamsKey(team.org_id)],
    onDone: () => {
      setChosen([])
      onClose()
    },
  })
  const known = new Set(members.map((member) => member.agent_id))
  return (
    <Dialog open={open} onClose={onClose} title="Add agents">
      <Loaded query={agents}>
        {(data) => (
          <AgentChoice
            agents={data.agents.filter((agent) => !known.has(agent.agent_id))}
            chosen={chosen}
            onChange={setChosen}
          />
        )}
      </Loaded>
      <div className="flex justify-end">
        <Button
          tone="primary"
          busy={add.isPending}
          disabled={chosen.length === 0}
          onClick={() => add.mutate()}
        >
          Add to team
        </Button>
      </div>
    </Dialog>
  )
}
