import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { useActiveTeams } from '../../session/use-active-teams.ts'
import type { OwnAgent } from '../../session/use-agents.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { AgentChoice } from '../teams/agent-choice.tsx'
import { OptionSelect } from './option-select.tsx'
import { riskKey, type TeamAssessBody } from './queries.ts'
import {
  ACTION_TYPES,
  type ActionType,
  COORDINATIONS,
  type Coordination,
  TOLERANCES,
  type Tolerance,
} from './risk-options.ts'

type TeamRiskFormProps = {
  orgId: string
  agents: readonly OwnAgent[]
  teamId: string | undefined
}

const NO_TEAM = ''
const MEMBERS_MIN = 2

export function TeamRiskForm({ orgId, agents, teamId }: TeamRiskFormProps) {
  const navigate = useNavigate()
  const teams = useActiveTeams(orgId)
  const [team, setTeam] = useState(teamId ?? NO_TEAM)
  const [chosen, setChosen] = useState<string[]>([])
  const [action, setAction] = useState<ActionType>('multi_agent_coordination')
  const [tolerance, setTolerance] = useState<Tolerance>('moderate')
  const [coordination, setCoordination] = useState<Coordination>('parallel')
  const assess = useAction({
    run: (body: TeamAssessBody) =>
      api.request('POST', '/v1/risk/assess/team', { ...forOrg(orgId), body }),
    refresh: [riskKey(orgId)],
    onDone: ({ assessment_id: assessmentId }) =>
      void navigate({ to: '/o/$orgId/risk/$assessmentId', params: { orgId, assessmentId } }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const task = String(new FormData(event.currentTarget).get('team_task') ?? '').trim()
    assess.mutate({
      ...(team === NO_TEAM ? { agent_ids: chosen } : { team_id: team }),
      context: {
        action_type: action,
        risk_tolerance: tolerance,
        coordination_mode: coordination,
        ...(task === '' ? {} : { team_task: task }),
      },
    })
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <OptionSelect
        label="Team"
        value={team}
        options={[
          { value: NO_TEAM, label: 'Custom selection' },
          ...(teams.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={setTeam}
      />
      {team === NO_TEAM ? (
        <AgentChoice agents={agents} chosen={chosen} onChange={setChosen} />
      ) : null}
      <OptionSelect label="Action" value={action} options={ACTION_TYPES} onChange={setAction} />
      <OptionSelect
        label="Coordination"
        hint="Determines which members the failure of one affects"
        value={coordination}
        options={COORDINATIONS}
        onChange={setCoordination}
      />
      <OptionSelect
        label="Risk tolerance"
        value={tolerance}
        options={TOLERANCES}
        onChange={setTolerance}
      />
      <Field label="Task" hint="Stored with the assessment; does not affect the score">
        {(control) => <Input {...control} name="team_task" maxLength={500} />}
      </Field>
      <div>
        <Button
          type="submit"
          tone="primary"
          busy={assess.isPending}
          disabled={team === NO_TEAM && chosen.length < MEMBERS_MIN}
        >
          Assess team risk
        </Button>
      </div>
    </form>
  )
}
