import {
  judgeDecision,
  judgeTrace,
  type LearnedPolicy,
  type LearnInput,
  learnPolicy,
  type Observation,
} from '@touchstone/protocol/policy'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Agents, DecisionUses, Layers, Sessions, TraceUses } from './ports.ts'
import type { ImpactResult, ImpactService } from './service.ts'

/** Bounds what is read and learned from; the newest traces count. */
const GROUPS_MAX = 20_000
const SESSIONS_MAX = 50_000
const TRACES_MAX = 100_000

/** A session may go on for as long after its last checkpoint. */
const SESSION_DAYS_MAX = 30

/** The impact of a draft is assessed over at most as many days (spec: governance §2.5). */
const IMPACT_DAYS_MAX = 30

/** Fewer observations take less time than sending them to a worker. */
const INLINE_MAX = 200

export type LearnDeps = {
  clock: Clock
  agents: Agents & { nameOf(agentId: string): Promise<string | undefined> }
  policies: Layers
  decisions: DecisionUses
  traces: TraceUses
  sessions: Sessions
  workers: { learnPolicy(input: LearnInput): Promise<LearnedPolicy> }
}

export type LearnRequest = { orgId: string; agentId: string; days: number; end: Date | undefined }

export type LearnResult = Omit<LearnedPolicy, 'tooLarge'> & {
  agentId: string
  range: { start: Date; end: Date }
  decisions: number
  traces: number
  /** Whether older traces were left out. */
  truncated: boolean
  /** Undefined without a policy. */
  impact: ImpactResult | undefined
}

export type LearnService = ReturnType<typeof createLearnService>

export function createLearnService(deps: LearnDeps, impact: Pick<ImpactService, 'assess'>) {
  const running = new Set<string>()
  return {
    /** Derives a policy from what was recorded (spec: governance §2.5). Stores nothing. */
    async learn(request: LearnRequest): Promise<LearnResult> {
      const { orgId, agentId } = request
      if ((await deps.agents.orgOf(agentId)) !== orgId) {
        throw new Problem('not_found', 'No such agent.')
      }
      if (running.size === RUNNING_MAX || running.has(orgId)) throw busy()
      running.add(orgId)
      try {
        return await learnFrom(deps, request, impact)
      } finally {
        running.delete(orgId)
      }
    },
  }
}

async function learnFrom(
  deps: LearnDeps,
  { orgId, agentId, days, end: until }: LearnRequest,
  impact: Pick<ImpactService, 'assess'>,
): Promise<LearnResult> {
  const end = until ?? deps.clock.now()
  const range = { start: later(end, -days * DAY_MS), end }
  const seen = await observe(deps, { orgId, agentId, range })
  const layers = await deps.policies.layersOf({ orgId, agentId })
  const name = (await deps.agents.nameOf(agentId)) ?? agentId
  const input = { ...layers, meta: metaOf(name, range), observations: seen.observations }
  const isSmall = input.observations.length <= INLINE_MAX
  const learned = isSmall ? learnPolicy(input) : await deps.workers.learnPolicy(input)
  const { tooLarge, ...result } = learned
  if (tooLarge) throw tooMuch()
  const { policy } = result
  const impactDays = Math.min(days, IMPACT_DAYS_MAX)
  const assessed =
    policy && (await impact.assess({ orgId, agentId, draft: policy, days: impactDays, end }))
  const { decisions, traces, truncated } = seen
  return { ...result, agentId, range, decisions, traces, truncated, impact: assessed }
}

/** Each occupies a connection to the database for seconds, and one organisation only one of them. */
const RUNNING_MAX = 2
const RETRY_AFTER_S = 5

function busy(): Problem {
  return new Problem('unavailable', 'Other policies are being learned; try again in a moment.', {
    headers: { 'retry-after': String(RETRY_AFTER_S) },
  })
}

type Period = { orgId: string; agentId: string; range: { start: Date; end: Date } }

async function observe(deps: LearnDeps, { orgId, agentId, range }: Period) {
  const since = later(range.start, -SESSION_DAYS_MAX * DAY_MS)
  const flaggedSessions = await deps.sessions.flaggedSessions(agentId, since, SESSIONS_MAX + 1)
  if (flaggedSessions.length > SESSIONS_MAX) throw tooMuch()
  const query = { agentId, range, flaggedSessions, groupsMax: GROUPS_MAX + 1 }
  const decisions = await deps.decisions.count({ orgId, ...query })
  const traced = await deps.traces.countToolUse({ ...query, tracesMax: TRACES_MAX + 1 })
  if (Math.max(decisions.length, traced.uses.length) > GROUPS_MAX) throw tooMuch()
  const observations: Observation[] = [
    ...decisions.map(
      (use): Observation => ({ source: 'decision', finding: judgeDecision(use), ...seenOf(use) }),
    ),
    ...traced.uses.map(
      (use): Observation => ({
        source: 'trace',
        finding: judgeTrace(use),
        action: use.actionName,
        warned: use.verdict === 'warn',
        ...seenOf(use),
      }),
    ),
  ]
  return {
    observations,
    decisions: decisions.reduce((sum, { count }) => sum + count, 0),
    traces: Math.min(traced.traces, TRACES_MAX),
    truncated: traced.traces > TRACES_MAX,
  }
}

type Seen = { tool: string; count: number; first: Date; last: Date; newestId: string }

function seenOf({ tool, count, first, last, newestId }: Seen) {
  return { tool, count, firstMs: first.getTime(), lastMs: last.getTime(), example: newestId }
}

function tooMuch(): Problem {
  return new Problem(
    'validation_error',
    'The agent used more tools than a policy can list; choose a shorter period.',
  )
}

const NAME_MAX = 120

function metaOf(agentName: string, { start, end }: Period['range']): LearnInput['meta'] {
  const [from, to] = [start, end].map((at) => at.toISOString().slice(0, 16).replace('T', ' '))
  return {
    name: [...`Learned: ${agentName}`].slice(0, NAME_MAX).join('').trim(),
    description: `Allows the tools that were used from ${from} to ${to} UTC and nothing else.`,
  }
}
