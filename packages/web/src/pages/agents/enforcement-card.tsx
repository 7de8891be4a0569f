import { useQuery } from '@tanstack/react-query'
import type { Body } from '@touchstone/sdk'
import type { FormEvent } from 'react'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { ErrorState, Loaded } from '../../ui/states.tsx'
import { useAgentAction } from './queries.ts'

const MODES = [
  { mode: 'observe', title: 'Observe', text: 'Violations are recorded; calls continue.' },
  {
    mode: 'nudge',
    title: 'Nudge',
    text: 'The agent is notified of the violation on its next call.',
  },
  { mode: 'enforce', title: 'Enforce', text: 'After a violation, its calls are put on hold.' },
] as const

type Mode = (typeof MODES)[number]['mode']

type Props = { orgId: string; agentId: string; threshold: number | null }

export function EnforcementCard({ orgId, agentId, threshold }: Props) {
  const enforcement = useQuery({
    queryKey: ['enforcement', agentId],
    queryFn: () =>
      api.request('GET', '/v1/agents/{agent_id}/enforcement', { params: { agent_id: agentId } }),
  })
  return (
    <Card title="Enforcement" className="self-start">
      <Loaded query={enforcement}>
        {(found) => (
          <div className="grid gap-6">
            <ModeForm key={found.enforcement_mode} agentId={agentId} current={found} />
            <ThresholdForm
              key={String(threshold)}
              orgId={orgId}
              agentId={agentId}
              threshold={threshold}
            />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

type Enforcement = {
  enforcement_mode: Mode
  nudge_strategy: 'always' | 'sampling' | 'threshold' | 'off'
  nudge_rate: number
  nudge_threshold: number
}

function ModeForm({ agentId, current }: { agentId: string; current: Enforcement }) {
  const change = useAgentAction(agentId, {
    run: (body: Body<'PUT', '/v1/agents/{agent_id}/enforcement'>) =>
      api.request('PUT', '/v1/agents/{agent_id}/enforcement', {
        params: { agent_id: agentId },
        body,
      }),
    done: (done) => `Enforcement mode: ${done.enforcement_mode}`,
  })
  const { nudge_strategy, nudge_rate, nudge_threshold } = current
  return (
    <fieldset className="grid gap-3" disabled={change.isPending}>
      <legend className="sr-only">Enforcement mode</legend>
      {MODES.map(({ mode, title, text }) => (
        <label key={mode} className="flex items-start gap-2.5 text-sm">
          <input
            type="radio"
            name="mode"
            className="mt-1 accent-accent"
            checked={current.enforcement_mode === mode}
            onChange={() => change.mutate({ mode, nudge_strategy, nudge_rate, nudge_threshold })}
          />
          <span>
            <span className="font-medium">{title}</span>
            <span className="block text-ink-soft">{text}</span>
          </span>
        </label>
      ))}
      {change.error ? <ErrorState error={change.error} /> : null}
    </fieldset>
  )
}

function ThresholdForm({ orgId, agentId, threshold }: Props) {
  const change = useAgentAction(agentId, {
    run: (value: number | null) =>
      api.request('PUT', '/v1/orgs/{org_id}/agents/{agent_id}/containment-policy', {
        params: { org_id: orgId, agent_id: agentId },
        body: { auto_containment_threshold: value },
      }),
    done: (done) =>
      done.auto_containment_threshold === null
        ? 'Automatic pause disabled'
        : `Pauses after ${done.auto_containment_threshold} violations in a row`,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('threshold'))
    change.mutate(text === '' ? null : Number(text))
  }
  return (
    <form onSubmit={submit} className="grid gap-3 border-t border-line pt-5">
      <Field
        label="Pause automatically after"
        hint="Consecutive boundary violations, 2 to 100. Leave empty to disable."
      >
        {(control) => (
          <div className="flex gap-2">
            <Input
              {...control}
              name="threshold"
              type="number"
              min={2}
              max={100}
              className="max-w-32"
              defaultValue={threshold ?? ''}
            />
            <Button type="submit" busy={change.isPending}>
              Save
            </Button>
          </div>
        )}
      </Field>
      {change.error ? <ErrorState error={change.error} /> : null}
    </form>
  )
}
