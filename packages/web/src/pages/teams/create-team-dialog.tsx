import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { useAgents } from '../../session/use-agents.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { Loaded } from '../../ui/states.tsx'
import { AgentChoice } from './agent-choice.tsx'
import { type Team, teamsKey } from './queries.ts'

/** Interface: 2 to 50. */
const MEMBERS_MIN = 2

type CreateTeamDialogProps = { orgId: string; open: boolean; onClose: () => void }

export function CreateTeamDialog({ orgId, open, onClose }: CreateTeamDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Form a team">
      <TeamForm orgId={orgId} />
    </Dialog>
  )
}

function TeamForm({ orgId }: { orgId: string }) {
  const navigate = useNavigate()
  const agents = useAgents()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [visibility, setVisibility] = useState<Team['visibility']>('private')
  const [chosen, setChosen] = useState<string[]>([])
  const create = useAction({
    run: () =>
      api.request('POST', '/v1/teams', {
        body: {
          org_id: orgId,
          name,
          description: description.trim() === '' ? null : description,
          visibility,
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
      <Field label="Name">
        {(control) => (
          <Input
            {...control}
            required
            maxLength={120}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Description">
        {(control) => (
          <Input
            {...control}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      <VisibilityField value={visibility} onChange={setVisibility} />
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
          Form team
        </Button>
      </div>
    </form>
  )
}

type VisibilityFieldProps = {
  value: Team['visibility']
  onChange: (value: Team['visibility']) => void
}

const VISIBILITIES = [
  { value: 'private', label: 'Private: your organisation only' },
  { value: 'unlisted', label: 'Unlisted: whoever knows its address' },
  { value: 'public', label: 'Public' },
] as const

export function VisibilityField({ value, onChange }: VisibilityFieldProps) {
  return (
    <Field label="Who sees its score">
      {(control) => (
        <Select
          {...control}
          value={value}
          onChange={(event) => {
            const next = VISIBILITIES.find((one) => one.value === event.target.value)
            if (next !== undefined) onChange(next.value)
          }}
        >
          {VISIBILITIES.map((one) => (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
