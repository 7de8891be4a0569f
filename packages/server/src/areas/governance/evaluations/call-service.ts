import type { Evaluation, EvaluationCall, EvaluationContext } from '@touchstone/protocol/policy'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Spans } from '../../../telemetry/spans.ts'
import {
  type CallPolicy,
  type CallTransaction,
  callPolicyOf,
  type EffectiveRules,
} from './call-policy.ts'
import { evaluationSpan } from './evaluation-span.ts'
import type { FirstSeen, ToolUse } from './first-seen-service.ts'
import { evaluationInput, type JudgedCall, judgedCall } from './judged-call.ts'
import type { Policies } from './ports.ts'

/** Agents whose fail_open is remembered for when their policy cannot be read. */
const FAIL_OPEN_MAX = 100_000

/** Transactions whose merged policy is cached for the next call that names them. */
const NARROWED_MAX = 1000

export type CallDeps = {
  clock: Clock
  policies: Policies
  /** A monotonic clock in milliseconds, with fractions. */
  elapsedMs(): number
  /** An evaluation that takes longer counts as failed (spec: governance §2.2). */
  callMsMax: number
  spans: Spans | undefined
  onEvaluated(judged: JudgedCall): void
}

/** The rules of an agent, or the failure to read them in time. */
export type Rules =
  | {
      readable: true
      effective: EffectiveRules
      /** Counts against the time limit. */
      readMs: number
    }
  | { readable: false; failOpen: boolean; cause: unknown }

export type Call = {
  agentId: string
  tools: readonly string[]
  context: EvaluationContext
  transaction?: CallTransaction | undefined
  args?: Readonly<Record<string, unknown>> | undefined
}

/** The call with everything its evaluation needs, except its time. */
export type Prepared =
  /** Neither policy nor transaction applies. */
  { outcome: 'none' } | { outcome: 'failed'; failOpen: boolean; cause: unknown } | Ready

export type Ready = {
  outcome: 'ready'
  callPolicy: CallPolicy
  input: Omit<EvaluationCall, 'nowMs'>
  startedMs: number
}

/** Prepares calls for evaluation within the time limit, and counts their results. */
export function createCalls(deps: CallDeps, firstSeen: FirstSeen) {
  const failOpen = createFailOpen(deps.clock)
  const callPolicyFor = createCallPolicies(deps.clock)

  const readFirstSeen = async (use: ToolUse, msLeft: number) => {
    const cached = firstSeen.getCached(use)
    if (cached !== undefined) return cached
    const found = await withTimeout(msLeft, firstSeen.read([use]))
    return found.get(use.agentId) ?? NONE_SEEN
  }

  return {
    /** Never rejects: if the policy cannot be read, its last known fail_open applies. */
    async rulesOf(orgId: string, agentId: string): Promise<Rules> {
      const startedMs = deps.elapsedMs()
      try {
        const effective = await withTimeout(
          deps.callMsMax,
          deps.policies.effectiveRules(orgId, agentId),
        )
        failOpen.remember(agentId, effective)
        return { readable: true, effective, readMs: deps.elapsedMs() - startedMs }
      } catch (cause) {
        return { readable: false, failOpen: failOpen.of(agentId), cause }
      }
    },

    async prepare(rules: Rules, call: Call): Promise<Prepared> {
      if (!rules.readable) {
        return { outcome: 'failed', failOpen: rules.failOpen, cause: rules.cause }
      }
      const { effective, readMs } = rules
      const startedMs = deps.elapsedMs() - readMs
      let isFailOpen = failOpenOf(effective) ?? false
      try {
        const callPolicy = callPolicyFor(effective, call.transaction)
        if (callPolicy === undefined) return NO_RULES
        isFailOpen = callPolicy.compiled.defaults.fail_open
        const firstSeenMs =
          call.context === 'audit' ? NONE_SEEN : await readFirstSeen(call, deps.callMsMax - readMs)
        const beforeStep = createDeadline(deps, startedMs)
        const { tools, context, args } = call
        const input = evaluationInput(callPolicy, { tools, context, args, firstSeenMs, beforeStep })
        return { outcome: 'ready', callPolicy, input, startedMs }
      } catch (cause) {
        return { outcome: 'failed', failOpen: isFailOpen, cause }
      }
    },

    /** Counts an evaluation and returns what to record: the judged call and new tools. */
    conclude(
      { callPolicy, input, startedMs }: Ready,
      evaluation: Evaluation,
      { orgId, agentId }: { orgId: string; agentId: string },
    ): { judged: JudgedCall; unseen: readonly string[] } {
      const judged = judgedCall(callPolicy, {
        orgId,
        agentId,
        context: input.context,
        evaluation,
        evaluatedAt: deps.clock.now(),
        durationMs: deps.elapsedMs() - startedMs,
      })
      deps.spans?.record(evaluationSpan(judged))
      deps.onEvaluated(judged)
      const isNew = (tool: string) => !input.firstSeenMs.has(tool)
      const unseen = input.tools.some(isNew) ? [...new Set(input.tools)].filter(isNew) : []
      return { judged, unseen }
    },
  }
}

function failOpenOf({ policy }: EffectiveRules): boolean | undefined {
  return policy?.compiled.defaults.fail_open
}

/** The last known fail_open of each agent, used as a fallback if its policy cannot be read. */
function createFailOpen(clock: Clock) {
  const ttlMs = Number.POSITIVE_INFINITY
  const cache = createCache<boolean>({ clock, entriesMax: FAIL_OPEN_MAX, ttlMs })
  return {
    of: (agentId: string): boolean => cache.get(agentId) ?? false,

    remember(agentId: string, effective: EffectiveRules): void {
      const value = failOpenOf(effective)
      if (value === cache.get(agentId)) return
      if (value === undefined) cache.delete(agentId)
      else cache.set(agentId, value)
    },
  }
}

/**
 * Merging and compiling the policies of a transaction costs far more than evaluating them. The
 * result is cached and valid while every layer is still the same object.
 */
function createCallPolicies(clock: Clock) {
  type CachedPolicy = {
    effective: EffectiveRules
    transaction: CallTransaction
    callPolicy: CallPolicy
  }
  const cache = createCache<CachedPolicy>({ clock, entriesMax: NARROWED_MAX, ttlMs: MINUTE_MS })
  return (
    effective: EffectiveRules,
    transaction: CallTransaction | undefined,
  ): CallPolicy | undefined => {
    if (transaction === undefined) return callPolicyOf(effective, undefined)
    const known = cache.get(transaction.transactionId)
    if (known?.effective === effective && hasSameLayers(known.transaction, transaction)) {
      return { ...known.callPolicy, transaction }
    }
    const callPolicy = callPolicyOf(effective, transaction)
    if (callPolicy !== undefined) {
      cache.set(transaction.transactionId, { effective, transaction, callPolicy })
    }
    return callPolicy
  }
}

function hasSameLayers({ layers }: CallTransaction, other: CallTransaction): boolean {
  return layers.length === other.layers.length && layers.every((one, i) => one === other.layers[i])
}

const NO_RULES: Prepared = { outcome: 'none' }
const NONE_SEEN: ReadonlyMap<string, number> = new Map()

export class EvaluationTimeout extends Error {
  constructor() {
    super('the evaluation took too long')
  }
}

/** Returns a function that throws `EvaluationTimeout` after the time limit of one call. */
export function createDeadline(
  deps: Pick<CallDeps, 'elapsedMs' | 'callMsMax'>,
  startedMs: number,
): () => void {
  return () => {
    if (deps.elapsedMs() - startedMs > deps.callMsMax) throw new EvaluationTimeout()
  }
}

async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new EvaluationTimeout()), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
