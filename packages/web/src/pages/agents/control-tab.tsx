import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Answer } from '@touchstone/sdk'
import { useState } from 'react'
import { MemberName } from '../../names/member-name.tsx'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { State, sentenceCase } from '../../ui/marks.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { ContainDialog, type ContainmentAction } from './contain-dialog.tsx'
import { EnforcementCard } from './enforcement-card.tsx'

const FROM = '/o/$orgId/agents/$agentId/control'

type Containment = Answer<'GET', '/v1/orgs/{org_id}/agents/{agent_id}/containment'>

export function ControlTab() {
  const { orgId, agentId } = useParams({ from: FROM })
  const containment = useQuery({
    queryKey: ['containment', orgId, agentId],
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/agents/{agent_id}/containment', {
        params: { org_id: orgId, agent_id: agentId },
      }),
  })
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <div className="grid content-start gap-6">
        <Card title="Containment">
          <Loaded query={containment}>
            {(found) => <ContainmentControls containment={found} />}
          </Loaded>
        </Card>
        <Card title="Containment log" padded={false}>
          <Loaded query={containment}>{(found) => <Log log={found.log} />}</Loaded>
        </Card>
      </div>
      <EnforcementCard
        orgId={orgId}
        agentId={agentId}
        threshold={containment.data?.auto_containment_threshold ?? null}
      />
    </div>
  )
}

const STATUS_TEXT: Record<Containment['status'], string> = {
  active: 'The gateway allows the calls that its policy permits.',
  paused: 'The gateway blocks every call until someone resumes the agent.',
  killed: 'The gateway blocks every call until an owner reactivates the agent.',
}

const ACTIONS: Record<Containment['status'], readonly ContainmentAction[]> = {
  active: ['pause', 'kill'],
  paused: ['resume', 'kill'],
  killed: ['reactivate'],
}

function ContainmentControls({ containment }: { containment: Containment }) {
  const { orgId, agentId } = useParams({ from: FROM })
  const [chosen, setChosen] = useState<ContainmentAction>()
  return (
    <div className="grid gap-4">
      <p className="flex flex-wrap items-center gap-2">
        <State state={containment.status} /> {STATUS_TEXT[containment.status]}
      </p>
      {containment.contained_at === null ? null : (
        <p className="text-sm text-ink-soft">
          Contained <Ago at={containment.contained_at} /> by{' '}
          <MemberName id={containment.contained_by} />
          {containment.containment_reason === null ? '' : `: ${containment.containment_reason}`}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {ACTIONS[containment.status].map((action) => (
          <Button
            key={action}
            tone={action === 'kill' ? 'danger' : 'plain'}
            onClick={() => setChosen(action)}
          >
            {sentenceCase(action)}
          </Button>
        ))}
      </div>
      <ContainDialog
        orgId={orgId}
        agentId={agentId}
        action={chosen}
        onClose={() => setChosen(undefined)}
      />
    </div>
  )
}

function Log({ log }: { log: Containment['log'] }) {
  if (log.length === 0) {
    return (
      <p className="px-5 py-6 text-sm text-ink-soft">This agent has never been paused or killed.</p>
    )
  }
  return (
    <ul className="text-sm">
      {log.map((entry) => (
        <li key={entry.id} className="grid gap-0.5 border-b border-line px-5 py-2.5 last:border-0">
          <p className="flex flex-wrap justify-between gap-x-4">
            <span>
              <span className="font-medium">{sentenceCase(entry.action)}</span> by{' '}
              <MemberName id={entry.actor} />
            </span>
            <span className="text-ink-faint">
              <Ago at={entry.created_at} />
            </span>
          </p>
          {entry.reason === null ? null : <p className="text-ink-soft">{entry.reason}</p>}
        </li>
      ))}
    </ul>
  )
}
