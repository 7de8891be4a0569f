import { setImmediate } from 'node:timers/promises'
import {
  type CompiledPolicy,
  createTraceReplay,
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
import type { Agents, EffectiveRules, Policies, ToolUse, Traces } from './ports.ts'

/** The same limit as for evaluations of past traces (spec: governance §2.3). */
const TRACES_MAX = 10_000
const PAGE_TRACES_MAX = 200

/** Agents whose rules are cached during one request; beyond that, some are compiled again. */
const CACHED_AGENTS_MAX = 500

/** Yields the event loop after this much work. */
const SLICE_MS = 5
/** Limit for all traces of a request together. */
const TOTAL_MS_MAX = 20_000

export type ImpactDeps = {
  clock: Clock
  agents: Agents
  policies: Policies
  traces: Traces
  /** A monotonic clock in milliseconds, with fractions. */
  elapsedMs(): number
  /** Limit for one evaluation (spec: governance §2.2). */
  callMsMax: number
}

export type ImpactRequest = {
  orgId: string
  /** The agent whose policy is drafted; undefined for a draft of the organisation's policy. */
  agentId: string | undefined
  draft: unknown
  days: number
  /** Until then; by default now. */
  end?: Date
}

export type ImpactResult = Impact &
  Pick<ImpactRequest, 'orgId' | 'agentId' | 'days'> & {
    range: { start: Date; end: Date }
    relation: PolicyRelation
    /** Whether older traces were left out, because of their number or the time limit. */
    truncated: boolean
  }

export type ImpactService = ReturnType<typeof createImpactService>

export function createImpactService(deps: ImpactDeps) {
  return {
    /** Compares the verdicts of past traces with and without a draft. Stores nothing. */
    async assess(request: ImpactRequest): Promise<ImpactResult> {
      const { orgId, agentId, days } = request
      const draft = await openDraft(deps, request)
      const pause = createPause(deps)
      const relation = await relate(draft.pair, pause)
      const end = request.end ?? deps.clock.now()
      const range = { start: later(end, -days * DAY_MS), end }
      const impact = await evaluatePast(deps, { request, range, draft, pause })
      return { ...impact, orgId, agentId, days, range, relation }
    },
  }
}

type Draft = {
  pair: PolicyPair
  /** The rules of an agent with the draft in place. */
  effectiveRules(agentId: string): Promise<EffectiveRules>
}

async function openDraft(deps: ImpactDeps, request: ImpactRequest): Promise<Draft> {
  const { orgId, agentId, draft } = request
  if (agentId === undefined) {
    const candidate = await deps.policies.orgCandidate(orgId, draft)
    const pair = { draft: candidate.draft, current: candidate.current ?? NO_RULES }
    return { pair, effectiveRules: candidate.effectiveRules }
  }
  if ((await deps.agents.orgOf(agentId)) !== orgId) {
    throw new Problem('not_found', 'No such agent.')
  }
  const candidate = await deps.policies.candidate({ orgId, agentId }, draft)
  const current = await deps.policies.effectiveRules(orgId, agentId)
  const rulesOf = ({ policy }: EffectiveRules) => policy?.resolution.policy ?? NO_RULES
  return {
    pair: { draft: rulesOf(candidate), current: rulesOf(current) },
    effectiveRules: async () => candidate,
  }
}

/** An absent policy is compared as one that blocks nothing. */
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

/** Yields the event loop if `SLICE_MS` have passed since it last did. */
function createPause({ elapsedMs }: ImpactDeps): Pause {
  let startedMs = elapsedMs()
  return async () => {
    if (elapsedMs() - startedMs < SLICE_MS) return
    await setImmediate()
    startedMs = elapsedMs()
  }
}

type Past = {
  request: ImpactRequest
  range: { start: Date; end: Date }
  draft: Draft
  pause: Pause
}

async function evaluatePast(deps: ImpactDeps, past: Past) {
  const { traces, truncated } = await readPast(deps, past)
  const tally = createImpactTally()
  const { judge, effectiveRulesOf } = createJudge(deps, past)
  const added = await replaySessions(traces, { judge, effectiveRulesOf, pause: past.pause })
  for (const trace of traces) {
    const judged = added === undefined ? undefined : await judge(trace)
    if (judged === undefined) return { ...tally.result(), truncated: true }
    const { before, after } = added?.get(trace.traceId) ?? NOTHING_ADDED
    tally.add({
      trace,
      before: withAdded(judged.before, before),
      after: withAdded(judged.after, after),
    })
    await past.pause()
  }
  return { ...tally.result(), truncated }
}

/** Newest first, at most `TRACES_MAX`. */
async function readPast(deps: ImpactDeps, past: Past) {
  const traces: ToolUse[] = []
  let before: ToolUse | undefined
  for (let count = 0; ; count += PAGE_TRACES_MAX) {
    const { orgId, agentId } = past.request
    // Reads one trace more than it evaluates, to see whether any is left out.
    const countMax = Math.min(PAGE_TRACES_MAX, TRACES_MAX + 1 - count)
    const page = await deps.traces.listRecentToolUse({
      orgId,
      agentId,
      range: past.range,
      before,
      countMax,
    })
    traces.push(...page)
    before = page.at(-1)
    if (traces.length > TRACES_MAX) return { traces: traces.slice(0, TRACES_MAX), truncated: true }
    if (page.length < countMax) return { traces, truncated: false }
  }
}

type Added = { before: Evaluation['violations']; after: Evaluation['violations'] }
const NOTHING_ADDED: Added = { before: [], after: [] }

/**
 * Replays the rules over a session in the order of time, and returns what they add by trace; undefined
 * once the time is up. Only these findings are kept, because those of all traces would need too much memory.
 */
async function replaySessions(
  traces: readonly ToolUse[],
  { judge, effectiveRulesOf, pause }: Judge & { pause: Pause },
): Promise<ReadonlyMap<string, Added> | undefined> {
  const added = new Map<string, Added>()
  const replays = new Map<string, { before: Replay; after: Replay }>()
  for (const trace of traces.toReversed()) {
    const rules = await effectiveRulesOf(trace.agentId)
    if (!hasSessionRules(rules.before) && !hasSessionRules(rules.after)) continue
    const judged = await judge(trace)
    if (judged === undefined) return undefined
    const replay = replays.get(trace.agentId) ?? {
      before: replayOf(rules.before),
      after: replayOf(rules.after),
    }
    replays.set(trace.agentId, replay)
    const of = (side: 'before' | 'after') => replay[side](trace, judged[side])
    added.set(trace.traceId, { before: of('before'), after: of('after') })
    await pause()
  }
  return added
}

type Replay = (trace: ToolUse, judged: Judged) => Evaluation['violations']

function hasSessionRules({ policy }: EffectiveRules): boolean {
  return policy?.compiled.sessionRules !== undefined
}

/** Returns the violations that the session adds to those of the trace alone. */
function replayOf({ policy }: EffectiveRules): Replay {
  const replay = createTraceReplay(policy?.compiled ?? NO_SESSION_RULES)
  return ({ sessionId, tools, occurredAt }, judged) => {
    const alone = { ...UNCOVERED, ...judged }
    const { violations } = replay({ sessionId, tools, nowMs: occurredAt.getTime() }, alone)
    return violations.slice(judged.violations.length)
  }
}

const NO_SESSION_RULES: Pick<CompiledPolicy, 'sessionRules'> = { sessionRules: undefined }

/** The parts of an evaluation that a replay does not read. */
const UNCOVERED = {
  warnings: [],
  card_gaps: [],
  coverage: {
    total_card_actions: 0,
    mapped_card_actions: [],
    unmapped_card_actions: [],
    coverage_pct: 0,
  },
}

function withAdded(judged: Judged, added: Evaluation['violations']): Judged {
  if (added.length === 0) return judged
  const violations = [...judged.violations, ...added]
  const isBlocked = violations.some(({ blocking }) => blocking)
  return { verdict: isBlocked ? 'fail' : 'warn', violations }
}

type Judge = ReturnType<typeof createJudge>

/** Returns undefined once the time is up; results until then remain valid. */
function createJudge(deps: ImpactDeps, { request, draft }: Past) {
  const cached = createCache<{ before: EffectiveRules; after: EffectiveRules }>({
    clock: deps.clock,
    entriesMax: CACHED_AGENTS_MAX,
    ttlMs: HOUR_MS,
  })
  const startedMs = deps.elapsedMs()
  const effectiveRulesOf = async (agentId: string) => {
    const known = cached.get(agentId)
    if (known !== undefined) return known
    const found = {
      before: await deps.policies.effectiveRules(request.orgId, agentId),
      after: await draft.effectiveRules(agentId),
    }
    cached.set(agentId, found)
    return found
  }
  const judge = async (trace: ToolUse) => {
    const callStartedMs = deps.elapsedMs()
    if (callStartedMs - startedMs > TOTAL_MS_MAX) return undefined
    const effective = await effectiveRulesOf(trace.agentId)
    const judgedMs = deps.elapsedMs()
    const beforeStep = () => {
      if (deps.elapsedMs() - judgedMs > deps.callMsMax) throw new EvaluationTimeout()
    }
    try {
      const before = evaluate(effective.before, trace, beforeStep)
      return { trace, before, after: evaluate(effective.after, trace, beforeStep) }
    } catch (err) {
      if (err instanceof EvaluationTimeout) return undefined
      throw err
    }
  }
  return { judge, effectiveRulesOf }
}

class EvaluationTimeout extends Error {}

type Judged = Pick<Evaluation, 'verdict' | 'violations'>

const PASSED: Judged = { verdict: 'pass', violations: [] }

/** Evaluates in context audit at the time of the trace, as all evaluations of past traces. */
function evaluate({ policy }: EffectiveRules, trace: ToolUse, beforeStep: () => void): Judged {
  if (policy === undefined || trace.tools.length === 0) return PASSED
  return evaluatePolicy(policy.compiled, {
    tools: trace.tools,
    context: 'audit',
    nowMs: trace.occurredAt.getTime(),
    firstSeenMs: new Map(),
    beforeStep,
  })
}
