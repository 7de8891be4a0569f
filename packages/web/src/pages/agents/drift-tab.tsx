import { useParams } from '@tanstack/react-router'
import { TextWithCodes } from '../../names/text-with-codes.tsx'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { joinBuckets } from '../../ui/chart/buckets.ts'
import { TimeChart } from '../../ui/chart/time-chart.tsx'
import { Severity, State } from '../../ui/marks.tsx'
import { Empty, ErrorState, Loaded } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Ago } from '../../ui/time.tsx'
import { alertsByDay, type DriftAlert, type DriftGroup, groupAlerts } from './drift-groups.ts'
import { useAgentAction, useDrift } from './queries.ts'

/** As many alerts as can be acknowledged at once. */
const ALERTS_MAX = 100
const BARS_MAX = 60

export function DriftTab() {
  const { agentId } = useParams({ from: '/o/$orgId/agents/$agentId/drift' })
  const drift = useDrift(agentId, { per_page: ALERTS_MAX })
  const acknowledge = useAgentAction(agentId, {
    run: (alertIds: readonly string[]) =>
      api.request('POST', '/v1/agents/{agent_id}/drift/acknowledge', {
        params: { agent_id: agentId },
        body: { alert_ids: [...alertIds] },
      }),
    done: ({ alerts }) =>
      alerts.length === 1 ? 'Alert acknowledged' : `${alerts.length} alerts acknowledged`,
  })
  return (
    <Loaded query={drift} lines={5}>
      {({ alerts, total }) => {
        if (alerts.length === 0) {
          return (
            <Card padded={false}>
              <Empty title="No drift alerts">The agent’s behaviour has been stable.</Empty>
            </Card>
          )
        }
        const { buckets, series } = alertsByDay(alerts, new Date())
        const openIds = groupAlerts(alerts).flatMap((group) => group.openIds)
        return (
          <div className="grid grid-cols-1 gap-6">
            <Card
              title="Drift alerts"
              note={
                total > alerts.length
                  ? `By day, the newest ${alerts.length} of ${total}`
                  : 'By day, when they were detected'
              }
              actions={
                openIds.length < 2 ? undefined : (
                  <Button busy={acknowledge.isPending} onClick={() => acknowledge.mutate(openIds)}>
                    Acknowledge all {openIds.length}
                  </Button>
                )
              }
            >
              {acknowledge.error ? <ErrorState error={acknowledge.error} /> : null}
              <TimeChart
                label="Drift alerts by day"
                mark="bars"
                {...joinBuckets(buckets, series, BARS_MAX)}
              />
            </Card>
            {groupAlerts(alerts).map((group) => (
              <GroupCard
                key={group.title}
                group={group}
                isBusy={acknowledge.isPending}
                onAcknowledge={(ids) => acknowledge.mutate(ids)}
              />
            ))}
          </div>
        )
      }}
    </Loaded>
  )
}

type GroupCardProps = {
  group: DriftGroup
  isBusy: boolean
  onAcknowledge: (ids: readonly string[]) => void
}

function GroupCard({ group: { title, alerts, openIds }, isBusy, onAcknowledge }: GroupCardProps) {
  return (
    <Card
      title={title}
      note={`${alerts.length} ${alerts.length === 1 ? 'alert' : 'alerts'}, ${openIds.length} open`}
      padded={false}
      actions={
        openIds.length < 2 ? undefined : (
          <Button busy={isBusy} onClick={() => onAcknowledge(openIds)}>
            Acknowledge {openIds.length}
            <span className="sr-only"> alerts of {title}</span>
          </Button>
        )
      }
    >
      <ul>
        {alerts.map((alert) => (
          <AlertLine
            key={alert.alert_id}
            alert={alert}
            isBusy={isBusy}
            onAcknowledge={() => onAcknowledge([alert.alert_id])}
          />
        ))}
      </ul>
    </Card>
  )
}

type AlertLineProps = { alert: DriftAlert; isBusy: boolean; onAcknowledge: () => void }

function AlertLine({ alert, isBusy, onAcknowledge }: AlertLineProps) {
  const { orgId, agentId } = useParams({ from: '/o/$orgId/agents/$agentId/drift' })
  return (
    <li className="grid gap-x-6 gap-y-2 border-b border-line px-5 py-3 last:border-0 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="grid gap-1 text-sm">
        <p className="flex flex-wrap items-center gap-2">
          <Severity severity={alert.severity} /> <State state={alert.status} />
          <span className="text-ink-soft">
            <TextWithCodes>{alert.message}</TextWithCodes>
          </span>
        </p>
        <p className="text-xs text-ink-faint">
          <Ago at={alert.detected_at} /> · {measureOf(alert)}
          <TextLink
            to="/o/$orgId/agents/$agentId/sessions"
            params={{ orgId, agentId }}
            search={{ session_id: alert.session_id }}
          >
            Session
          </TextLink>{' '}
          <span className="font-mono">{alert.session_id}</span>
        </p>
      </div>
      {alert.status === 'open' ? (
        <Button className="self-start justify-self-start" busy={isBusy} onClick={onAcknowledge}>
          Acknowledge
        </Button>
      ) : null}
    </li>
  )
}

/** Trace drift measures similarity. The message of integrity drift has its number of checkpoints. */
function measureOf({ kind, similarity, threshold, sustained }: DriftAlert): string {
  if (kind !== 'trace') return ''
  return `similarity ${similarity.toFixed(2)} (threshold ${threshold}), ${sustained} in a row · `
}
