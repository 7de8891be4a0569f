import type { EvaluationContext } from '@touchstone/protocol'
import type { Db } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { CallDeps } from './call-service.ts'
import {
  createHistoryTally,
  type History,
  rangeFault,
  type TimeRange,
  TRACES_MAX,
} from './history-tally.ts'
import { type Holding, holdingOf, type Standing } from './holding.ts'
import { judgeTrace } from './judged-call.ts'
import type { TracePlace, Traces } from './ports.ts'
import { createEvaluationStore } from './store.ts'

/** So few at a time that others get their turn in between. */
const PAGE_TRACES_MAX = 200

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
  if (fault === 'empty') {
    throw new Problem('invalid_request', 'time_range: start must be before end')
  }
  if (fault === 'too_long') {
    throw new Problem('validation_error', 'time_range: must be at most 30 days')
  }
}

type Wanted = {
  agentId: string
  range: TimeRange
  context: EvaluationContext
  standing: Standing
}

/** Holds what an agent did to rules it may not have had then. Records nothing. */
export async function evaluateHistory(deps: HistoryDeps, wanted: Wanted): Promise<HistoryResult> {
  const { agentId, range, standing } = wanted
  const startedMs = deps.elapsedMs()
  const holding = holdingOf(standing, undefined)
  if (holding === undefined) throw noPolicy()
  const leftOut = await deps.traces.findLeftOut({ agentId, range, newestMax: TRACES_MAX })
  const tally = createHistoryTally()
  let after: TracePlace | undefined = leftOut
  for (;;) {
    const page = await evaluatePage(deps, { ...wanted, holding, after })
    for (const { trace, evaluation } of page) tally.add(trace, evaluation)
    after = page.at(-1)?.trace
    if (page.length < PAGE_TRACES_MAX) break
  }
  const { policyId, policyVersion } = holding
  return {
    ...tally.result(),
    ...{ agentId, policyId, policyVersion },
    truncated: leftOut !== undefined,
    evaluatedAt: deps.clock.now(),
    durationMs: Math.round((deps.elapsedMs() - startedMs) * 1000) / 1000,
  }
}

async function evaluatePage(
  deps: HistoryDeps,
  wanted: Wanted & { holding: Holding; after: TracePlace | undefined },
) {
  const { agentId, range, context, holding, after } = wanted
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
  return traces.map((trace) => {
    const { tools, occurredAt: now } = trace
    return { trace, evaluation: judgeTrace(holding, { tools, context, now, firstSeenMs }) }
  })
}

export function noPolicy(): Problem {
  return new Problem('not_found', 'Neither the agent nor its organisation has a policy.')
}
