import { useParams } from '@tanstack/react-router'
import type { Answer } from '@touchstone/sdk'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { sentenceCase } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Loaded } from '../../ui/states.tsx'
import { formatDay } from '../../ui/time.tsx'
import { usePlan, useUsage } from './queries.ts'

type Plan = Answer<'GET', '/v1/orgs/{org_id}/plan'>
type Usage = Answer<'GET', '/v1/orgs/{org_id}/usage'>
type Meter = keyof Plan['usage']

const METERS: Record<Meter, string> = {
  checks: 'Checks',
  team_reputation: 'Team reputation',
  risk_assessment: 'Risk assessments',
  team_risk_assessment: 'Team risk assessments',
}

/** Labels for feature codes that do not read well in sentence case. */
const FEATURES: Readonly<Record<string, string>> = {
  zk_proofs: 'Risk proofs',
  sso: 'Single sign-on',
  nway_coherence: 'Fleet coherence',
  org_card_template: 'Card template',
}

// The cast is safe, because the type of METERS has these keys only.
const meters = Object.keys(METERS) as Meter[]

export function PlanTab() {
  const { orgId } = useParams({ from: '/o/$orgId/settings/plan' })
  const plan = usePlan(orgId)
  const usage = useUsage(orgId)
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Card title="Plan">
        <Loaded query={plan} lines={5}>
          {(found) => <PlanFacts plan={found} />}
        </Loaded>
      </Card>
      <div className="grid gap-6">
        <Card title="Usage this month">
          <Loaded query={plan}>{(found) => <Meters usage={found.usage} />}</Loaded>
        </Card>
        <Card title="Daily checks" note="Last 30 days">
          <Loaded query={usage}>{(found) => <Days daily={found.daily} />}</Loaded>
        </Card>
      </div>
    </div>
  )
}

function PlanFacts({ plan }: { plan: Plan }) {
  return (
    <Facts
      facts={[
        { label: 'Plan', value: sentenceCase(plan.plan_id.replace('plan-', '')) },
        { label: 'Status', value: sentenceCase(plan.status) },
        {
          label: 'Period',
          value: `${formatDay(plan.period_start)} to ${formatDay(plan.period_end)}`,
        },
        {
          label: 'Requests per second',
          value: plan.limits.requests_per_second ?? 'Unlimited',
        },
        {
          label: 'Trace retention',
          value:
            plan.limits.trace_retention_days === null
              ? 'Unlimited'
              : `${plan.limits.trace_retention_days} days`,
        },
        {
          label: 'Features',
          value: (
            <span className="flex flex-wrap gap-1">
              {plan.features.map((feature) => (
                <Pill key={feature}>{FEATURES[feature] ?? sentenceCase(feature)}</Pill>
              ))}
            </span>
          ),
        },
      ]}
    />
  )
}

function Meters({ usage }: { usage: Plan['usage'] }) {
  return (
    <ul className="grid gap-4 text-sm">
      {meters.map((meter) => {
        const { used, included, usage_percent: percent } = usage[meter]
        return (
          <li key={meter} className="grid gap-1">
            <p className="flex justify-between gap-4">
              <span>{METERS[meter]}</span>
              <span className="tabular">
                {used.toLocaleString('en')}
                <span className="text-ink-faint">
                  {included === null ? '' : ` of ${included.toLocaleString('en')}`}
                </span>
              </span>
            </p>
            {included === null ? null : (
              <div className="h-1.5 rounded-full bg-sunken">
                <div
                  className={`h-full rounded-full ${(percent ?? 0) >= 100 ? 'bg-bad' : 'bg-accent'}`}
                  style={{ width: `${Math.min(percent ?? 0, 100)}%` }}
                />
              </div>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function Days({ daily }: { daily: Usage['daily'] }) {
  const [first, last] = [daily.at(0), daily.at(-1)]
  const most = Math.max(...daily.map((day) => day.checks), 1)
  const total = daily.reduce((sum, day) => sum + day.checks, 0)
  return (
    <figure className="grid gap-2">
      <div className="flex h-24 items-end gap-px" aria-hidden="true">
        {daily.map((day) => (
          <div
            key={day.date}
            title={`${formatDay(day.date)}: ${day.checks}`}
            className="min-h-px flex-1 rounded-t-sm bg-accent"
            style={{ height: `${(day.checks / most) * 100}%` }}
          />
        ))}
      </div>
      <figcaption className="flex justify-between border-t border-line pt-1 text-xs text-ink-faint">
        <span>{first === undefined ? '' : formatDay(first.date)}</span>
        <span>{total.toLocaleString('en')} total</span>
        <span>{last === undefined ? '' : formatDay(last.date)}</span>
      </figcaption>
    </figure>
  )
}
