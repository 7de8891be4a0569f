import { useParams } from '@tanstack/react-router'
import type { Answer } from '@touchstone/sdk'
import { useState } from 'react'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Severity, State, sentenceCase } from '../../ui/marks.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Empty, ErrorState, Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { ROWS_PER_PAGE, useAgentAction, useDrift } from './queries.ts'

export function DriftTab() {
  const { orgId, agentId } = useParams({ from: '/o/$orgId/agents/$agentId/drift' })
  const [page, setPage] = useState(1)
  const drift = useDrift(agentId, { page, per_page: ROWS_PER_PAGE })
  const acknowledge = useAgentAction(agentId, {
    run: (alertId: string) =>
      api.request('POST', '/v1/drift/{alert_id}/acknowledge', {
        params: { alert_id: alertId },
        ...forOrg(orgId),
      }),
    done: () => 'Alert acknowledged',
  })
  return (
    <Card title="Drift alerts" note="Sustained changes in the agent’s behaviour" padded={false}>
      {acknowledge.error ? <ErrorState error={acknowledge.error} /> : null}
      <Loaded query={drift}>
        {(found) => (
          <Paged
            page={page}
            perPage={ROWS_PER_PAGE}
            total={found.total}
            onPage={setPage}
            empty={<Empty title="No drift alerts">The agent’s behaviour has been stable.</Empty>}
          >
            <ul>
              {found.alerts.map((alert) => (
                <li
                  key={alert.alert_id}
                  className="grid gap-x-6 gap-y-2 border-b border-line px-5 py-4 last:border-0 sm:grid-cols-[minmax(0,1fr)_auto]"
                >
                  <div className="grid gap-1.5 text-sm">
                    <p className="flex flex-wrap items-center gap-2 font-medium">
                      {titleOf(alert)} <Severity severity={alert.severity} />{' '}
                      <State state={alert.status} />
                    </p>
                    <p className="text-ink-soft">{alert.message}</p>
                    <p className="text-xs text-ink-faint">
                      <Ago at={alert.detected_at} /> · {measureOf(alert)} · session{' '}
                      <span className="font-mono">{alert.session_id}</span>
                    </p>
                  </div>
                  {alert.status === 'open' ? (
                    <Button
                      className="self-start justify-self-start"
                      busy={acknowledge.isPending && acknowledge.variables === alert.alert_id}
                      onClick={() => acknowledge.mutate(alert.alert_id)}
                    >
                      Acknowledge
                    </Button>
                  ) : null}
                </li>
              ))}
            </ul>
          </Paged>
        )}
      </Loaded>
    </Card>
  )
}

type Alert = Answer<'GET', '/v1/agents/{agent_id}/drift'>['alerts'][number]

function titleOf({ kind, drift_direction: direction }: Alert): string {
  if (direction !== 'unknown') return sentenceCase(direction)
  return kind === 'trace' ? 'Trace drift' : 'Integrity drift'
}

/** Trace drift measures similarity; integrity drift counts consecutive checkpoints. */
function measureOf({ kind, similarity, threshold, sustained }: Alert): string {
  return kind === 'trace'
    ? `similarity ${similarity.toFixed(2)} (threshold ${threshold}), ${sustained} in a row`
    : `${sustained} consecutive checkpoints not clear`
}
