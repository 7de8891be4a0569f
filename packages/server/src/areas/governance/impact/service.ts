import { setImmediate } from 'node:timers/promises'
import {
  type Evaluation,
  evaluatePolicy,
  type PolicyPair,
  type PolicyRelation,
  type PolicyRules,
  relatePolicies,
} from '@touchstone/protocol/policy'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, DAY_MS, HOUR_MS, later } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createImpactTally, type Impact } from './impact-tally.ts'
import type { Agents, Policies, Standing, ToolUse, Traces } from './ports.ts'

/** As for evaluations of the past (spec: governance §2.3). */
const TRACES_MAX = 10_000
const PAGE_TRACES_MAX = 200

/** Agents whose policies are at hand; with more of them some are compiled again. */
const STANDINGS_MAX = 500

/** After so long others get their turn. */
const SLICE_MS = 5
/** So long for all calls together. */
const TOTAL_MS_MAX = 20_000

export type ImpactDeps = {
  clock: Clock
  agents: Agents
  policies: Policies
  traces: Traces
  /** Milliseconds since any moment, with fractions; never goes back. */
  elapsedMs(): number
  /** So long for one call, as everywhere (spec: governance §2.2). */
  callMsMax: number
}

export type ImpactAsk = {
  orgId: string
  /** Whose policy the draft is; without one it is the organisation's. */
  agentId: string | undefined
  draft: unknown
  days: number
}

export type ImpactResult = Impact &
  Pick<ImpactAsk, 'orgId' | 'agentId' | 'days'> & {
    range: { start: Date; end: Date }
    relation: PolicyRelation
    /** Older traces were left out, because of their number or of the time they take. */
    truncated: boolean
  }

export type ImpactService = ReturnType<typeof createImpactService>

export function createImpactService(deps: ImpactDeps) {
  return {
    /** What would have been otherwise with a draft. Stores nothing. */
    async assess(ask: ImpactAsk): Promise<ImpactResult> {
      const { orgId, agentId, days } = ask
      const draft = await openDraft(deps, ask)
      const pause = createPause(deps)
      const relation = await relate(draft.pair, pause)
      const end = deps.clock.now()
      const range = { start: later(end, -days * DAY_MS), end }
      const impact = await judgePast(deps, { ask, range, draft, pause })
      return { ...impact, orgId, agentId, days, range, relation }
    },
  }
}

type Draft = {
  pair: PolicyPair
  /** What an agent is held to with the draft. */
  standing(agentId: string): Promise<Standing>
}

async function openDraft(deps: ImpactDeps, ask: ImpactAsk): Promise<Draft> {
  const { orgId, agentId, draft } = ask
  if (agentId === undefined) {
    const candidate = await deps.policies.orgCandidate(orgId, draft)
    const pair = { draft: candidate.draft, current: candidate.current ?? NO_RULES }
    return { pair, standing: candidate.standing }
  }
  if ((await deps.agents.orgOf(agentId)) !== orgId) {
    throw new Problem('not_found', 'No such agent.')
  }
  const candidate = await deps.policies.candidate({ orgId, agentId }, draft)
  const current = await deps.policies.standing(orgId, agentId)
  const rulesOf = ({ policy }: Standing) => policy?.resolution.policy ?? NO_RULES
  return {
    pair: { draft: rulesOf(candidate), current: rulesOf(current) },
    standing: async () => candidate,
  }
}

/** No policy blocks nothing. */
const NO_RULES: PolicyRules = {
  capability_mappings: {},
  forbidden: [],
  escalation_triggers: [],
  defaults: {},
}

async function relate(pair: PolicyPair, pause: Pause): Promise<PolicyRelation> {
  const steps = relatePolicies(pair)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await pause()
  }
}

type Pause = () => Promise<void>

/** Lets others have their turn when it has been some time. */
function createPause({ elapsedMs }: ImpactDeps): Pause {
  let startedMs = elapsedMs()
  return async () => {
    if (elapsedMs() - startedMs < SLICE_MS) return
    await setImmediate()
    startedMs = elapsedMs()
  }
}

type Past = {
  ask: ImpactAsk
  range: { start: Date; end: Date }
  draft: Draft
  pause: Pause
}

async function judgePast(deps: ImpactDeps, past: Past) {
  const tally = createImpactTally()
  const judge = createJudge(deps, past)
  let before: ToolUse | undefined
  for (let count = 0; ; count += PAGE_TRACES_MAX) {
    const { orgId, agentId } = past.ask
    // One more than are judged shows whether any is left out.
    const countMax = Math.min(PAGE_TRACES_MAX, TRACES_MAX + 1 - count)
    const page = await deps.traces.listRecentToolUse({
      orgId,
      agentId,
      range: past.range,
      before,
      countMax,
    })
    for (const [at, trace] of page.entries()) {
      const judged = count + at === TRACES_MAX ? undefined : await judge(trace)
      if (judged === undefined) return { ...tally.result(), truncated: true }
      tally.add(judged)
      await past.pause()
    }
    before = page.at(-1)
    if (page.length < countMax) return { ...tally.result(), truncated: false }
  }
}

/** Gives nothing once there is no time left; what was judged until then stays true. */
function createJudge(deps: ImpactDeps, { ask, draft }: Past) {
  const standings = createCache<{ before: Standing; after: Standing }>({
    clock: deps.clock,
    entriesMax: STANDINGS_MAX,
    ttlMs: HOUR_MS,
  })
  const startedMs = deps.elapsedMs()
  const standingOf = async (agentId: string) => {
    const known = standings.get(agentId)
    if (known !== undefined) return known
    const found = {
      before: await deps.policies.standing(ask.orgId, agentId),
      after: await draft.standing(agentId),
    }
    standings.set(agentId, found)
    return found
  }
  return async (trace: ToolUse) => {
    const callStartedMs = deps.elapsedMs()
    if (callStartedMs - startedMs > TOTAL_MS_MAX) return undefined
    const standing = await standingOf(trace.agentId)
    const judgedMs = deps.elapsedMs()
    const beforeStep = () => {
      if (deps.elapsedMs() - judgedMs > deps.callMsMax) throw new OutOfTime()
    }
    try {
      const before = evaluate(standing.before, trace, beforeStep)
      return { trace, before, after: evaluate(standing.after, trace, beforeStep) }
    } catch (err) {
      if (err instanceof OutOfTime) return undefined
      throw err
    }
  }
}

class OutOfTime extends Error {}

type Judged = Pick<Evaluation, 'verdict' | 'violations'>

const PASSED: Judged = { verdict: 'pass', violations: [] }

/** As the past is judged everywhere: as an audit, at the time of the trace, each alone. */
function evaluate({ policy }: Standing, trace: ToolUse, beforeStep: () => void): Judged {
  if (policy === undefined || trace.tools.length === 0) return PASSED
  return evaluatePolicy(policy.compiled, {
    tools: trace.tools,
    context: 'audit',
    nowMs: trace.occurredAt.getTime(),
    firstSeenMs: new Map(),
    beforeStep,
  })
}
