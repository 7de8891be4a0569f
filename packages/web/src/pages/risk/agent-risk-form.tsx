import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import type { OwnAgent } from '../../session/use-agents.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { AgentSelect } from './agent-select.tsx'
import { OptionSelect } from './option-select.tsx'
import { type AssessBody, riskKey } from './queries.ts'
import { ACTION_TYPES, type ActionType, TOLERANCES, type Tolerance } from './risk-options.ts'

type AgentRiskFormProps = {
  orgId: string
  agents: readonly OwnAgent[]
  agentId: string
  onAgent: (agentId: string) => void
}

export function AgentRiskForm({ orgId, agents, agentId, onAgent }: AgentRiskFormProps) {
  const navigate = useNavigate()
  const [action, setAction] = useState<ActionType>('tool_invocation')
  const [tolerance, setTolerance] = useState<Tolerance>('moderate')
  const assess = useAction({
    run: (body: AssessBody) => api.request('POST', '/v1/risk/assess', { ...forOrg(orgId), body }),
    refresh: [riskKey(orgId)],
    onDone: ({ assessment_id: assessmentId }) => {
      if (assessmentId === null) return
      void navigate({ to: '/o/$orgId/risk/$assessmentId', params: { orgId, assessmentId } })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    assess.mutate({
      agent_id: agentId,
      context: {
        action_type: action,
        risk_tolerance: tolerance,
        ...(text('amount') === '' ? {} : { amount: Number(text('amount')) }),
        ...(text('counterparty') === '' ? {} : { counterparty_id: text('counterparty') }),
        ...(text('use_case') === '' ? {} : { use_case: text('use_case') }),
      },
    })
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <AgentSelect label="Agent" agents={agents} agentId={agentId} onAgent={onAgent} />
      <OptionSelect label="Action" value={action} options={ACTION_TYPES} onChange={setAction} />
      {action === 'financial_transaction' ? (
        <Field label="Amount">
          {(control) => (
            <Input {...control} name="amount" type="number" min={0} step="0.01" required />
          )}
        </Field>
      ) : null}
      <Field label="Counterparty" hint="ID of another agent, if any">
        {(control) => <Input {...control} name="counterparty" maxLength={128} />}
      </Field>
      <OptionSelect
        label="Risk tolerance"
        hint="Sets the thresholds of the levels; the score does not change"
        value={tolerance}
        options={TOLERANCES}
        onChange={setTolerance}
      />
      <Field label="Use case" hint="Stored with the assessment; does not affect the score">
        {(control) => <Input {...control} name="use_case" maxLength={500} />}
      </Field>
      <div>
        <Button type="submit" tone="primary" busy={assess.isPending}>
          Assess risk
        </Button>
      </div>
    </form>
  )
}
