import { setImmediate } from 'node:timers/promises'
import { createTraceReplay, type EvaluationContext } from '@touchstone/protocol/policy'
import { SECOND_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import { callPolicyOf, type EffectiveRules } from './call-policy.ts'
import { type CallDeps, createDeadline } from './call-service.ts'
import {
  createHistoryTally,
  type History,
  rangeFault,
  type TimeRange,
  TRACES_MAX,
} from './history-tally.ts'
import { judgeTrace } from './judged-call.ts'
import type { TracePosition, Traces } from './ports.ts'
import { createEvaluationStore } from './store.ts'

const PAGE_TRACES_MAX = 200

/** Yields the event loop after this much work. */
const SLICE_MS = 5
/** Limit for all traces of a request together. */
const TOTAL_MS_MAX = 20_000

export type HistoryDeps = CallDeps & { db: Db; traces: Traces }

export type HistoryResult = History & {
  agentId: string
  policyId: string | null
  policyVersion: number | null
  truncated: boolean
  evaluatedAt: Date
  durationMs: number
}

export function assertRange(range: TimeRange): void {
  const fault = rangeFault(range)
  if (fault === undefined) return
  const [status, code, message] = FAULTS[fault]
  throw new Problem(status, `time_range: ${message}`, {
    details: [{ path: '/time_range', code, message }],
  })
}

const FAULTS = {
  empty: ['invalid_request', 'type', 'start must be before end'],
  too_long: ['validation_error', 'too_large', 'must be at most 30 days'],
} as const

type TraceQuery = {
  agentId: string
  range: TimeRange
  context: EvaluationContext
  effective: EffectiveRules
}

/**
 * Evaluates past traces against rules that may be newer than the traces, in the order of their time, so
 * that rules over a session see what came before. Records nothing.
 */
export async function evaluateHistory(
  deps: HistoryDeps,
  request: TraceQuery,
): Promise<HistoryResult> {
  const { agentId, range, context, effective } = request
  const startedMs = deps.elapsedMs()
  const callPolicy = callPolicyOf(effective, undefined)
  if (callPolicy === undefined) throw policyNotFound()
  const leftOut = await deps.traces.findLeftOut({ agentId, range, newestMax: TRACES_MAX })
  const tally = createHistoryTally()
  const replay = createTraceReplay(callPolicy.compiled)
  const pause = createPause(deps)
  let after: TracePosition | undefined = leftOut
  for (;;) {
    const { traces, firstSeenMs } = await readPage(deps, { ...request, after })
    for (const trace of traces) {
      const { tools, sessionId, occurredAt: now } = trace
      const traceStartedMs = deps.elapsedMs()
      if (traceStartedMs - startedMs > TOTAL_MS_MAX) throw rangeTooLarge()
      const beforeStep = createDeadline(deps, traceStartedMs)
      // One at a time, because the findings of a whole page could exhaust the memory.
      const alone = judgeTrace(callPolicy, { tools, context, now, firstSeenMs, beforeStep })
      tally.add(trace, replay({ sessionId, tools, nowMs: now.getTime() }, alone))
      await pause()
    }
    after = traces.at(-1)
    if (traces.length < PAGE_TRACES_MAX) break
  }
  const { policyId, policyVersion } = callPolicy
  return {
    ...tally.result(),
    agentId,
    policyId,
    policyVersion,
    truncated: leftOut !== undefined,
    evaluatedAt: deps.clock.now(),
    durationMs: Math.round((deps.elapsedMs() - startedMs) * 1000) / 1000,
  }
}

async function readPage(
  deps: HistoryDeps,
  request: TraceQuery & { after: TracePosition | undefined },
) {
  const { agentId, range, context, after } = request
  const countMax = PAGE_TRACES_MAX
  const traces = await deps.traces.listToolUse({ agentId, range, after, countMax })
  const firstSeenMs = new Map<string, number>()
  if (context !== 'audit') {
    // Bypasses the cache, from which tools of the past would evict current ones.
    const names = [...new Set(traces.flatMap(({ tools }) => tools))]
    const sightings = await createEvaluationStore(deps.db).findSightings(
      names.map((tool) => ({ agentId, tool })),
    )
    for (const { tool, at } of sightings) firstSeenMs.set(tool, at.getTime())
  }
  return { traces, firstSeenMs }
}

/** Yields the event loop if `SLICE_MS` have passed since it last did. */
function createPause({ elapsedMs }: HistoryDeps): () => Promise<void> {
  let startedMs = elapsedMs()
  return async () => {
    if (elapsedMs() - startedMs < SLICE_MS) return
    await setImmediate()
    startedMs = elapsedMs()
  }
}

function rangeTooLarge(): Problem {
  const seconds = TOTAL_MS_MAX / SECOND_MS
  return new Problem(
    'validation_error',
    `time_range: contains more traces than can be evaluated in ${seconds} seconds; choose a shorter range`,
  )
}

export function policyNotFound(): Problem {
  return new Problem('not_found', 'Neither the agent nor its organisation has a policy.')
}
