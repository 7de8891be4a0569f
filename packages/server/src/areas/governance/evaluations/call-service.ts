import type { Evaluation, EvaluationCall, EvaluationContext } from '@touchstone/protocol/policy'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Spans } from '../../../telemetry/spans.ts'
import { evaluationSpan } from './evaluation-span.ts'
import type { FirstSeen, ToolUse } from './first-seen-service.ts'
import { type Holding, holdingOf, type NamedTransaction, type Standing } from './holding.ts'
import { evaluationInput, type JudgedCall, judgedCall } from './judged-call.ts'
import type { Policies } from './ports.ts'

/** Agents whose fail_open is remembered for when their policy cannot be read. */
const FAIL_OPEN_MAX = 100_000

/** Transactions whose merged policy is cached for the next call that names them. */
const NARROWED_MAX = 1000

export type CallDeps = {
  clock: Clock
  policies: Policies
  /** Milliseconds since any moment, with fractions; never goes back. */
  elapsedMs(): number
  /** An evaluation that takes longer has failed (spec: governance §2.2). */
  callMsMax: number
  spans: Spans | undefined
  onEvaluated(judged: JudgedCall): void
}

/** The policy that applies to an agent, or that it could not be read in time. */
export type Rules =
  | { readable: true; standing: Standing /** Counts against the time limit. */; readMs: number }
  | { readable: false; failOpen: boolean; cause: unknown }

export type Call = {
  agentId: string
  tools: readonly string[]
  context: EvaluationContext
  transaction?: NamedTransaction | undefined
  args?: Readonly<Record<string, unknown>> | undefined
}

/** A call with all that its evaluation needs, save the time of it. */
export type Prepared =
  /** Neither policy nor transaction applies. */
  { outcome: 'none' } | { outcome: 'failed'; failOpen: boolean; cause: unknown } | Ready

export type Ready = {
  outcome: 'ready'
  holding: Holding
  input: Omit<EvaluationCall, 'nowMs'>
  startedMs: number
}

export type Calls = ReturnType<typeof createCalls>

/** Prepares calls for evaluation within the time limit, and counts what came of them. */
export function createCalls(deps: CallDeps, firstSeen: FirstSeen) {
  const failOpen = createFailOpen(deps.clock)
  const hold = createHolder(deps.clock)

  const readFirstSeen = async (use: ToolUse, msLeft: number) => {
    const cached = firstSeen.known(use)
    if (cached !== undefined) return cached
    const found = await within(msLeft, firstSeen.read([use]))
    return found.get(use.agentId) ?? NONE_SEEN
  }

  return {
    /** Never rejects: a policy that cannot be read has an answer, by its fail_open. */
    async rulesOf(orgId: string, agentId: string): Promise<Rules> {
      const startedMs = deps.elapsedMs()
      try {
        const standing = await within(deps.callMsMax, deps.policies.standing(orgId, agentId))
        failOpen.remember(agentId, standing)
        return { readable: true, standing, readMs: deps.elapsedMs() - startedMs }
      } catch (cause) {
        return { readable: false, failOpen: failOpen.of(agentId), cause }
      }
    },

    async prepare(rules: Rules, call: Call): Promise<Prepared> {
      if (!rules.readable) {
        return { outcome: 'failed', failOpen: rules.failOpen, cause: rules.cause }
      }
      const { standing, readMs } = rules
      const startedMs = deps.elapsedMs() - readMs
      let isFailOpen = failOpenOf(standing) ?? false
      try {
        const holding = hold(standing, call.transaction)
        if (holding === undefined) return NO_RULES
        isFailOpen = holding.compiled.defaults.fail_open
        const firstSeenMs =
          call.context === 'audit' ? NONE_SEEN : await readFirstSeen(call, deps.callMsMax - readMs)
        const beforeStep = createDeadline(deps, startedMs)
        const { tools, context, args } = call
        const input = evaluationInput(holding, { tools, context, args, firstSeenMs, beforeStep })
        return { outcome: 'ready', holding, input, startedMs }
      } catch (cause) {
        return { outcome: 'failed', failOpen: isFailOpen, cause }
      }
    },

    /** Counts an evaluation; gives what there is to record of it. */
    conclude(
      { holding, input, startedMs }: Ready,
      evaluation: Evaluation,
      { orgId, agentId }: { orgId: string; agentId: string },
    ): { judged: JudgedCall; unseen: readonly string[] } {
      const judged = judgedCall(holding, {
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

function failOpenOf({ policy }: Standing): boolean | undefined {
  return policy?.compiled.defaults.fail_open
}

/** The fail_open that an agent's policy had last, for when the policy cannot be read. */
function createFailOpen(clock: Clock) {
  const ttlMs = Number.POSITIVE_INFINITY
  const kept = createCache<boolean>({ clock, entriesMax: FAIL_OPEN_MAX, ttlMs })
  return {
    of: (agentId: string): boolean => kept.get(agentId) ?? false,

    remember(agentId: string, standing: Standing): void {
      const value = failOpenOf(standing)
      if (value === kept.get(agentId)) return
      if (value === undefined) kept.delete(agentId)
      else kept.set(agentId, value)
    },
  }
}

/**
 * Merging and compiling the policies of a transaction costs far more than evaluating them, so the
 * result is cached as long as every layer is the very one it was made of.
 */
function createHolder(clock: Clock) {
  type Narrowed = { standing: Standing; transaction: NamedTransaction; holding: Holding }
  const kept = createCache<Narrowed>({ clock, entriesMax: NARROWED_MAX, ttlMs: MINUTE_MS })
  return (standing: Standing, transaction: NamedTransaction | undefined): Holding | undefined => {
    if (transaction === undefined) return holdingOf(standing, undefined)
    const known = kept.get(transaction.transactionId)
    if (known?.standing === standing && hasSameLayers(known.transaction, transaction)) {
      return { ...known.holding, transaction }
    }
    const holding = holdingOf(standing, transaction)
    if (holding !== undefined) {
      kept.set(transaction.transactionId, { standing, transaction, holding })
    }
    return holding
  }
}

function hasSameLayers({ layers }: NamedTransaction, other: NamedTransaction): boolean {
  return layers.length === other.layers.length && layers.every((one, i) => one === other.layers[i])
}

const NO_RULES: Prepared = { outcome: 'none' }
const NONE_SEEN: ReadonlyMap<string, number> = new Map()

export class TooLate extends Error {
  constructor() {
    super('the evaluation took too long')
  }
}

/** Throws once more time has passed than one call has. */
export function createDeadline(
  deps: Pick<CallDeps, 'elapsedMs' | 'callMsMax'>,
  startedMs: number,
): () => void {
  return () => {
    if (deps.elapsedMs() - startedMs > deps.callMsMax) throw new TooLate()
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLate()), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
