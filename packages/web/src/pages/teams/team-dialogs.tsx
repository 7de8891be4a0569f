import type { QueryKey } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { type Team, teamKey, teamsKey } from './queries.ts'
import { TeamFields, teamBody } from './team-fields.tsx'

type TeamDialogProps = { team: Team; open: boolean; onClose: () => void }

export function EditTeamDialog({ team, open, onClose }: TeamDialogProps) {
  const { name, description, visibility } = team
  const [details, setDetails] = useState({ name, description: description ?? '', visibility })
  const save = useAction({
    run: () =>
      api.request('PATCH', '/v1/teams/{team_id}', {
        params: { team_id: team.id },
        body: teamBody(details),
      }),
    done: () => 'Team updated',
    refresh: [teamKey(team.id), teamsKey(team.org_id)],
    onDone: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog open={open} onClose={onClose} title="Edit team">
      <form onSubmit={submit} className="grid gap-4">
        <TeamFields value={details} onChange={setDetails} />
        <div className="flex justify-end">
          <Button type="submit" tone="primary" busy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export function ArchiveDialog(props: TeamDialogProps & { refresh: QueryKey }) {
  const { team, open, onClose, refresh } = props
  const archive = useAction({
    run: () => api.request('DELETE', '/v1/teams/{team_id}', { params: { team_id: team.id } }),
    done: () => 'Team archived',
    refresh: [teamKey(team.id), refresh],
    onDone: onClose,
  })
  return (
    <Dialog open={open} onClose={onClose} title={`Archive ${team.name}?`}>
      <p className="text-sm text-ink-soft">
        You cannot undo this. The team stays readable, but its members, card, policy and score no
        longer change. Its agents keep working.
      </p>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="danger" busy={archive.isPending} onClick={() => archive.mutate()}>
          Archive team
        </Button>
      </div>
    </Dialog>
  )
}
