import type { Page, PageRequest } from '../../../kernel/db.ts'
import { offsetOf } from '../../../kernel/db.ts'
import type {
  AgentFilter,
  Agents,
  Checkpoints,
  CountedRange,
  Decisions,
  Drift,
  Scores,
  SetupReads,
} from './ports.ts'
import {
  type Finding,
  hasFinding,
  type Rating,
  type Sort,
  type Standing,
  sortStandings,
  type Totals,
  totalsOf,
} from './standing.ts'

export type OverviewDeps = {
  agents: Agents
  decisions: Decisions
  checkpoints: Checkpoints
  drift: Drift
  scores: Scores
  setup: SetupReads
}

export type StandingQuery = AgentFilter & {
  range: CountedRange
  finding: Finding | undefined
  sort: Sort
}

export type ShownStanding = Standing & { weeks: readonly number[] }

export type Standings = Page<ShownStanding> & {
  from: Date
  to: Date
  totals: Totals
  /** The organisation has more agents than are compared; the newest are. */
  isPartial: boolean
}

export type Setup = {
  agent: boolean
  decision: boolean
  policy: boolean
  colleague: boolean
  webhook: boolean
}

export type OverviewService = ReturnType<typeof createOverviewService>

/** Sorting by what happened compares all agents, so their number is bounded. */
const COMPARED_MAX = 10_000

const WEEKS_MAX = 12

const UNRATED: Rating = { score: null, grade: 'NR', assurance: null, trend30d: 0 }

export function createOverviewService(deps: OverviewDeps) {
  const { agents, decisions, checkpoints, drift, scores, setup } = deps
  return {
    async standings(orgId: string, query: StandingQuery, request: PageRequest): Promise<Standings> {
      const { q, status, range, finding, sort } = query
      const filter = { q, status, visibility: undefined }
      const [found, blocked] = await Promise.all([
        agents.listBriefs(orgId, filter, COMPARED_MAX + 1),
        decisions.blockedByAgent(orgId, range),
      ])
      const compared = found.slice(0, COMPARED_MAX)
      const ids = compared.map(({ agentId }) => agentId)
      const { from, to } = blocked
      const [violations, alerts, ratings] = await Promise.all([
        checkpoints.countViolations(ids, { from, to }),
        drift.countOpen(ids),
        scores.ratings(ids),
      ])
      const all = compared.map((agent) => ({
        ...agent,
        ...(ratings.get(agent.agentId) ?? UNRATED),
        blocked: blocked.counts.get(agent.agentId) ?? 0,
        violations: violations.get(agent.agentId) ?? 0,
        driftAlerts: alerts.get(agent.agentId) ?? 0,
      }))
      const wanted = finding === undefined ? all : all.filter((one) => hasFinding(one, finding))
      const first = offsetOf(request)
      const shown = sortStandings(wanted, sort).slice(first, first + request.perPage)
      const weeks = await scores.recentWeeks(
        shown.map(({ agentId }) => agentId),
        WEEKS_MAX,
      )
      return {
        ...request,
        items: shown.map((one) => ({ ...one, weeks: weeks.get(one.agentId) ?? [] })),
        total: wanted.length,
        from,
        to,
        totals: totalsOf(wanted),
        isPartial: found.length > compared.length,
      }
    },

    async setup(orgId: string): Promise<Setup> {
      const [agent, decision, policy, colleague, webhook] = await Promise.all([
        setup.hasAgent(orgId),
        setup.hasDecision(orgId),
        setup.hasPolicy(orgId),
        setup.hasColleague(orgId),
        setup.hasWebhook(orgId),
      ])
      return { agent, decision, policy, colleague, webhook }
    },
  }
}
