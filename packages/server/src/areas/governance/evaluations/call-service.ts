import type { EvaluationContext } from '@touchstone/protocol/policy'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Prompt, promptly } from '../../../kernel/promptly.ts'
import type { Spans } from '../../../telemetry/spans.ts'
import { evaluationSpan } from './evaluation-span.ts'
import type { FirstSeen } from './first-seen-service.ts'
import { type Holding, holdingOf, type NamedTransaction, type Standing } from './holding.ts'
import { type JudgedCall, judge, judgedCall } from './judged-call.ts'
import type { Policies } from './ports.ts'

/** Agents whose fail_open is remembered for when their policy cannot be read. */
const FAIL_OPEN_MAX = 100_000

/** Transactions whose merged policy is kept, for the next call that names them. */
const NARROWED_MAX = 1000

export type CallDeps = {
  clock: Clock
  policies: Policies
  /** Milliseconds since any moment, with fractions; never goes back. */
  elapsedMs(): number
  /** What takes longer has failed (02 §2.2). */
  callMsMax: number
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

type Loaded = { holding: Holding; firstSeenMs: ReadonlyMap<string, number> }

/** Judges one call in the time there is for it. Records nothing. */
export function createCalls(deps: CallDeps, firstSeen: FirstSeen) {
  const failOpen = createFailOpen(deps.clock)
  const hold = createHolder(deps.clock)

  /** What is known of fail_open is told as soon as it is known, because the rest may fail. */
  const load = (call: Call, tellFailOpen: (value: boolean) => void): Prompt<Loaded | undefined> =>
    promptly(holdingFor(call), (holding) => {
      if (holding === undefined) return undefined
      tellFailOpen(holding.compiled.defaults.fail_open)
      if (call.context === 'audit') return { holding, firstSeenMs: NONE_SEEN }
      const { agentId, tools } = call
      return promptly(firstSeen.read([{ agentId, tools }]), (seen) => ({
        holding,
        firstSeenMs: seen.get(agentId) ?? NONE_SEEN,
      }))
    })

  const holdingFor = (call: Call): Prompt<Holding | undefined> => {
    const { orgId, agentId, transaction } = call
    if (call.candidate !== undefined) return holdingOf(call.candidate, transaction)
    return promptly(deps.policies.standing(orgId, agentId), (standing) => {
      failOpen.remember(agentId, standing)
      return hold(standing, transaction)
    })
  }

  const evaluate = (call: Call, tellFailOpen: (value: boolean) => void): Prompt<CallOutcome> => {
    const startedMs = deps.elapsedMs()
    const loading = load(call, tellFailOpen)
    return promptly(
      loading instanceof Promise ? within(deps.callMsMax, loading) : loading,
      (loaded) => (loaded === undefined ? { outcome: 'none' } : conclude(call, loaded, startedMs)),
    )
  }

  const conclude = (
    call: Call,
    { holding, firstSeenMs }: Loaded,
    startedMs: number,
  ): CallOutcome => {
    const beforeStep = createDeadline(deps, startedMs)
    const { orgId, agentId, tools, context, now, args } = call
    beforeStep()
    const evaluation = judge(holding, { tools, context, now, args, firstSeenMs, beforeStep })
    const evaluatedAt = deps.clock.now()
    const durationMs = deps.elapsedMs() - startedMs
    const said = { orgId, agentId, context, evaluation, evaluatedAt, durationMs }
    const judged = judgedCall(holding, said)
    deps.spans?.record(evaluationSpan(judged))
    deps.onEvaluated(judged)
    const isNew = (tool: string) => !firstSeenMs.has(tool)
    const unseen = tools.some(isNew) ? [...new Set(tools)].filter(isNew) : []
    return { outcome: 'evaluated', judged, unseen }
  }

  return {
    judge(call: Call): Prompt<CallOutcome> {
      let known = failOpen.of(call.agentId)
      const tellFailOpen = (value: boolean) => {
        known = value
      }
      const failed = (cause: unknown): CallOutcome => ({
        outcome: 'failed',
        failOpen: known,
        cause,
      })
      try {
        const outcome = evaluate(call, tellFailOpen)
        return outcome instanceof Promise ? outcome.catch(failed) : outcome
      } catch (cause) {
        return failed(cause)
      }
    },
  }
}

/** What an agent's policy said of it last, for when the policy cannot be read. */
function createFailOpen(clock: Clock) {
  const ttlMs = Number.POSITIVE_INFINITY
  const kept = createCache<boolean>({ clock, entriesMax: FAIL_OPEN_MAX, ttlMs })
  return {
    of: (agentId: string): boolean => kept.get(agentId) ?? false,

    remember(agentId: string, { policy }: Standing): void {
      const value = policy?.compiled.defaults.fail_open
      if (value === kept.get(agentId)) return
      if (value === undefined) kept.delete(agentId)
      else kept.set(agentId, value)
    },
  }
}

/**
 * Merging and compiling the policies of a transaction costs far more than asking them, so what came
 * of it is kept as long as every layer is the very one it was made of.
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
