import { setImmediate } from 'node:timers/promises'
import type { EvaluationContext } from '@touchstone/protocol/policy'
import { SECOND_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type CallDeps, createDeadline } from './call-service.ts'
import {
  createHistoryTally,
  type History,
  rangeFault,
  type TimeRange,
  TRACES_MAX,
} from './history-tally.ts'
import { holdingOf, type Standing } from './holding.ts'
import { judgeTrace } from './judged-call.ts'
import type { TracePlace, Traces } from './ports.ts'
import { createEvaluationStore } from './store.ts'

const PAGE_TRACES_MAX = 200

/** After so long others get their turn. */
const SLICE_MS = 5
/** So long for all of them together. */
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

type Wanted = {
  agentId: string
  range: TimeRange
  context: EvaluationContext
  standing: Standing
}

/** Holds what an agent did to rules it may not have had then. Records nothing. */
export async function evaluateHistory(deps: HistoryDeps, wanted: Wanted): Promise<HistoryResult> {
  const { agentId, range, context, standing } = wanted
  const startedMs = deps.elapsedMs()
  const holding = holdingOf(standing, undefined)
  if (holding === undefined) throw noPolicy()
  const leftOut = await deps.traces.findLeftOut({ agentId, range, newestMax: TRACES_MAX })
  const tally = createHistoryTally()
  const pause = createPause(deps)
  let after: TracePlace | undefined = leftOut
  for (;;) {
    const { traces, firstSeenMs } = await readPage(deps, { ...wanted, after })
    for (const trace of traces) {
      const { tools, occurredAt: now } = trace
      const traceStartedMs = deps.elapsedMs()
      if (traceStartedMs - startedMs > TOTAL_MS_MAX) throw outOfTime()
      const beforeStep = createDeadline(deps, traceStartedMs)
      // One at a time: the findings of a whole page could fill the memory.
      tally.add(trace, judgeTrace(holding, { tools, context, now, firstSeenMs, beforeStep }))
      await pause()
    }
    after = traces.at(-1)
    if (traces.length < PAGE_TRACES_MAX) break
  }
  const { policyId, policyVersion } = holding
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

async function readPage(deps: HistoryDeps, wanted: Wanted & { after: TracePlace | undefined }) {
  const { agentId, range, context, after } = wanted
  const countMax = PAGE_TRACES_MAX
  const traces = await deps.traces.listToolUse({ agentId, range, after, countMax })
  const firstSeenMs = new Map<string, number>()
  if (context !== 'audit') {
    // Not through the cache: names of the past would push out those of today.
    const asked = [...new Set(traces.flatMap(({ tools }) => tools))]
    const sightings = await createEvaluationStore(deps.db).findSightings(
      asked.map((tool) => ({ agentId, tool })),
    )
    for (const { tool, at } of sightings) firstSeenMs.set(tool, at.getTime())
  }
  return { traces, firstSeenMs }
}

/** Lets others have their turn when it has been some time. */
function createPause({ elapsedMs }: HistoryDeps): () => Promise<void> {
  let startedMs = elapsedMs()
  return async () => {
    if (elapsedMs() - startedMs < SLICE_MS) return
    await setImmediate()
    startedMs = elapsedMs()
  }
}

function outOfTime(): Problem {
  const seconds = TOTAL_MS_MAX / SECOND_MS
  return new Problem(
    'validation_error',
    `time_range: holds more than can be evaluated in ${seconds} seconds; choose a shorter one`,
  )
}

export function noPolicy(): Problem {
  return new Problem('not_found', 'Neither the agent nor its organisation has a policy.')
}
