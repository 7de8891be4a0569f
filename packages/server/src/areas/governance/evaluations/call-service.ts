import type { EvaluationContext } from '@touchstone/protocol'
import { createCache } from '../../../kernel/cache.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Spans } from '../../../telemetry/spans.ts'
import { evaluationSpan } from './evaluation-span.ts'
import type { FirstSeen } from './first-seen-service.ts'
import { holdingOf, type NamedTransaction, type Standing } from './holding.ts'
import { type JudgedCall, judge, judgedCall } from './judged-call.ts'
import type { Policies } from './ports.ts'

/** 02 §2.2: what takes longer has failed. */
const LIMIT_MS = 250

/** Agents whose fail_open is remembered for when their policy cannot be read. */
const FAIL_OPEN_MAX = 100_000

export type CallDeps = {
  clock: Clock
  policies: Policies
  /** Milliseconds since any moment, with fractions; never goes back. */
  elapsedMs(): number
  spans: Spans | undefined
  onEvaluated(judged: JudgedCall): void
}

export type Call = {
  orgId: string
  agentId: string
  tools: readonly string[]
  context: EvaluationContext
  now: Date
  transaction?: NamedTransaction | undefined
  args?: Readonly<Record<string, unknown>> | undefined
  /** Stands in for what the agent is held to. */
  candidate?: Standing | undefined
}

export type CallOutcome =
  | { outcome: 'none' }
  | { outcome: 'failed'; failOpen: boolean; cause: unknown }
  | { outcome: 'evaluated'; judged: JudgedCall; unseen: readonly string[] }

export type Calls = ReturnType<typeof createCalls>

/** Judges one call in the time there is for it. Records nothing. */
export function createCalls(deps: CallDeps, firstSeen: FirstSeen) {
  const failOpen = createCache<boolean>({
    clock: deps.clock,
    entriesMax: FAIL_OPEN_MAX,
    ttlMs: Number.POSITIVE_INFINITY,
  })

  /** What is known of fail_open is told as soon as it is known, because the rest may fail. */
  const load = async (call: Call, tellFailOpen: (value: boolean) => void) => {
    const { orgId, agentId, tools } = call
    const standing = call.candidate ?? (await deps.policies.standing(orgId, agentId))
    if (call.candidate === undefined) remember(agentId, standing)
    const holding = holdingOf(standing, call.transaction)
    if (holding === undefined) return undefined
    tellFailOpen(holding.compiled.defaults.fail_open)
    const seen = call.context === 'audit' ? undefined : await firstSeen.read([{ agentId, tools }])
    return { holding, firstSeenMs: seen?.get(agentId) ?? new Map<string, number>() }
  }

  const remember = (agentId: string, { policy }: Standing): void => {
    if (policy === undefined) failOpen.delete(agentId)
    else failOpen.set(agentId, policy.compiled.defaults.fail_open)
  }

  const evaluate = async (
    call: Call,
    tellFailOpen: (value: boolean) => void,
  ): Promise<CallOutcome> => {
    const startedMs = deps.elapsedMs()
    const beforeTool = () => {
      if (deps.elapsedMs() - startedMs > LIMIT_MS) throw new Error(TOO_LATE)
    }
    const loaded = await within(LIMIT_MS, load(call, tellFailOpen))
    if (loaded === undefined) return { outcome: 'none' }
    const { holding, firstSeenMs } = loaded
    const { orgId, agentId, tools, context, now, args } = call
    beforeTool()
    const evaluation = judge(holding, { tools, context, now, args, firstSeenMs, beforeTool })
    const judged = judgedCall(holding, {
      ...{ orgId, agentId, context, evaluation },
      evaluatedAt: deps.clock.now(),
      durationMs: deps.elapsedMs() - startedMs,
    })
    deps.spans?.record(evaluationSpan(judged))
    deps.onEvaluated(judged)
    const unseen = [...new Set(tools)].filter((tool) => !firstSeenMs.has(tool))
    return { outcome: 'evaluated', judged, unseen }
  }

  return {
    async judge(call: Call): Promise<CallOutcome> {
      let known = failOpen.get(call.agentId) ?? false
      const tellFailOpen = (value: boolean) => {
        known = value
      }
      try {
        return await evaluate(call, tellFailOpen)
      } catch (cause) {
        return { outcome: 'failed', failOpen: known, cause }
      }
    },
  }
}

const TOO_LATE = 'the evaluation took too long'

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(TOO_LATE)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
