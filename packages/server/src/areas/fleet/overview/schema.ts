import { GRADES, NOT_RATED } from '@touchstone/protocol/score'
import { type Static, Type } from 'typebox'
import { AssuranceLevel } from '../../../assurance-wire.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import {
  Instant,
  Nullable,
  PageFields,
  PageQuery,
  toInstant,
  toPageFields,
} from '../../../http/wire.ts'
import type { Setup, StandingQuery, Standings } from './service.ts'
import { FINDINGS, SORTS } from './standing.ts'

const STATUSES = ['active', 'paused', 'killed', 'archived'] as const

export const StandingsQuery = Type.Object({
  from: Type.Optional(
    Type.String({ ...Instant, description: 'rounded down to the interval; default: as of stats' }),
  ),
  to: Type.Optional(
    Type.String({ ...Instant, description: 'exclusive, rounded up to the interval; default: now' }),
  ),
  interval: Type.Optional(
    NamedEnum('StatsInterval', ['minute', 'hour', 'day'], { default: 'hour' }),
  ),
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'part of the name or id; case is ignored' }),
  ),
  status: Type.Optional(NamedEnum('AgentStatus', [...STATUSES])),
  with: Type.Optional(
    NamedEnum('StandingFinding', [...FINDINGS], { description: 'only agents with at least one' }),
  ),
  sort: Type.Optional(
    NamedEnum('StandingSort', [...SORTS], {
      default: 'name',
      description: 'names ascend, everything else descends; trend by its amount',
    }),
  ),
  ...PageQuery.properties,
})

const Count = (description: string) => Type.Integer({ minimum: 0, description })

const BLOCKED = 'calls decided as block in the range'
const VIOLATIONS = 'violations that occurred in the range, also reclassified ones'
const DRIFT_ALERTS = 'drift alerts that are open now'

const Standing = NamedObject('AgentStanding', {
  agent_id: Type.String(),
  name: Type.String(),
  visibility: NamedEnum('Visibility', ['public', 'unlisted', 'private']),
  status: NamedEnum('AgentStatus', [...STATUSES]),
  enforcement_mode: NamedEnum('EnforcementMode', ['observe', 'nudge', 'enforce']),
  last_seen_at: Nullable(Type.String()),
  created_at: Type.String(),
  updated_at: Type.String(),
  score: Nullable(Type.Integer({ description: 'null if the agent is not rated' })),
  grade: NamedEnum('Grade', [...GRADES.map(({ grade }) => grade), NOT_RATED.grade]),
  assurance: Nullable(AssuranceLevel),
  trend_30d: Type.Integer(),
  weeks: Type.Array(Type.Integer(), { description: 'scores of the last 12 weeks, oldest first' }),
  blocked: Count(BLOCKED),
  violations: Count(VIOLATIONS),
  drift_alerts: Count(DRIFT_ALERTS),
})

export const StandingPage = NamedObject('AgentStandingPage', {
  agents: Type.Array(Standing),
  totals: NamedObject(
    'AgentStandingTotals',
    {
      blocked: Count(BLOCKED),
      violations: Count(VIOLATIONS),
      drift_alerts: Count(DRIFT_ALERTS),
    },
    { description: 'of all agents that match, not only of this page' },
  ),
  from: Type.String(),
  to: Type.String(),
  is_partial: Type.Boolean({
    description: 'true if only the newest 10000 agents of the organisation were compared',
  }),
  ...PageFields,
})

export const SetupAnswer = NamedObject(
  'OrgSetup',
  {
    agent: Type.Boolean({ description: 'an agent is registered' }),
    decision: Type.Boolean({ description: 'a tool call was decided' }),
    policy: Type.Boolean({ description: 'a policy was written in the last 400 days' }),
    colleague: Type.Boolean({ description: 'there is another member or a pending invitation' }),
    webhook: Type.Boolean({ description: 'there is a webhook endpoint' }),
  },
  { description: 'The steps that set up an organisation, and whether they are done' },
)

export function toStandingQuery(query: Static<typeof StandingsQuery>): StandingQuery {
  const { q, status, interval = 'hour', sort = 'name' } = query
  return {
    q,
    status,
    range: { interval, from: toInstant(query.from, 'from'), to: toInstant(query.to, 'to') },
    finding: query.with,
    sort,
  }
}

export function toStandingPage(page: Standings): Static<typeof StandingPage> {
  const { totals } = page
  return {
    agents: page.items.map((one) => ({
      agent_id: one.agentId,
      name: one.name,
      visibility: one.visibility,
      status: one.status,
      enforcement_mode: one.enforcementMode,
      last_seen_at: one.lastSeenAt?.toISOString() ?? null,
      created_at: one.createdAt.toISOString(),
      updated_at: one.updatedAt.toISOString(),
      score: one.score,
      grade: one.grade,
      assurance: one.assurance,
      trend_30d: one.trend30d,
      weeks: [...one.weeks],
      blocked: one.blocked,
      violations: one.violations,
      drift_alerts: one.driftAlerts,
    })),
    totals: {
      blocked: totals.blocked,
      violations: totals.violations,
      drift_alerts: totals.driftAlerts,
    },
    from: page.from.toISOString(),
    to: page.to.toISOString(),
    is_partial: page.isPartial,
    ...toPageFields(page),
  }
}

export function toSetup(setup: Setup): Static<typeof SetupAnswer> {
  return setup
}
