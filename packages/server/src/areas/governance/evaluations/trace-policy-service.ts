import type { Evaluation } from '@touchstone/protocol/policy'
import type { Db } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import { type CallDeps, createDeadline, TooLate } from './call-service.ts'
import { evaluationSpan } from './evaluation-span.ts'
import type { FirstSeen, ToolUse } from './first-seen-service.ts'
import { type Holding, holdingOf } from './holding.ts'
import { findingsOf, judgedCall, judgeTrace, type PolicyFindings } from './judged-call.ts'
import type { Agents } from './ports.ts'
import { createEvaluationStore, type Sighting } from './store.ts'
import { storedEvaluation } from './stored-evaluation.ts'

/** What policy says of a trace that is being stored. */
export type TraceJudgement = {
  findings: PolicyFindings
  /** In the transaction that stores the trace. */
  record(tx: Db, traceId: string): Promise<void>
  /** Once that is committed. */
  settle(): void
}

export type TracePolicies = {
  /**
   * Asks nobody. Undefined where no policy holds, or where it took too long to say. `sighted` are the
   * agent's tools that were first seen in the same transaction: what is recorded adds to them.
   */
  judge(trace: ToolUse & { at: Date }, sighted: Map<string, number>): TraceJudgement | undefined
}

export type TraceJudgeDeps = CallDeps & {
  agents: Agents
  /** The operator hears of it: the trace is stored all the same, as evidence must not be lost. */
  onEvaluationFailed(cause: unknown): void
}

/** Policy of traces as they come in, in context runtime, at the time each of them tells. */
export function createTraceJudge(deps: TraceJudgeDeps, firstSeen: FirstSeen) {
  const holdingsOf = async (orgId: string, agentIds: ReadonlySet<string>) => {
    const holdings = new Map<string, Holding>()
    for (const agentId of agentIds) {
      const holding = holdingOf(await deps.policies.standing(orgId, agentId), undefined)
      if (holding !== undefined) holdings.set(agentId, holding)
    }
    return holdings
  }

  return {
    /** Reads everything for all of these traces at once; agents without a policy cost nothing. */
    async prepareTraces(orgId: string, uses: readonly ToolUse[]): Promise<TracePolicies> {
      const holdings = await holdingsOf(orgId, new Set(uses.map(({ agentId }) => agentId)))
      const seen = await firstSeen.read(uses.filter(({ agentId }) => holdings.has(agentId)))
      return {
        judge({ agentId, tools, at }, sighted) {
          const holding = holdings.get(agentId)
          const committedMs = seen.get(agentId)
          if (holding === undefined || committedMs === undefined) return undefined
          const firstSeenMs = sighted.size === 0 ? committedMs : both(committedMs, sighted)
          const startedMs = deps.elapsedMs()
          const context = 'runtime'
          const beforeStep = createDeadline(deps, startedMs)
          const call = { tools, context, now: at, firstSeenMs, beforeStep } as const
          const evaluation = judgeInTime(deps, holding, call)
          if (evaluation === undefined) return undefined
          const judged = judgedCall(holding, {
            orgId,
            agentId,
            context,
            evaluation,
            evaluatedAt: deps.clock.now(),
            durationMs: deps.elapsedMs() - startedMs,
          })
          const unseen = [...new Set(tools)].filter((tool) => !firstSeenMs.has(tool))
          let made: readonly Sighting[] = []
          return {
            findings: findingsOf(judged),
            async record(tx, traceId) {
              const store = createEvaluationStore(tx)
              const evaluationId = newId('pe')
              const stored = storedEvaluation(judged, { evaluationId, traceId })
              await store.insertAll([stored], deps.agents.keeping)
              const sightings = unseen.map((tool) => ({ agentId, tool, at }))
              made = sightings.length === 0 ? [] : await store.insertSightings(sightings)
              for (const { tool } of made) sighted.set(tool, at.getTime())
            },
            settle() {
              firstSeen.note(made)
              // The traces that come after it in a batch see its tools as known.
              for (const { tool } of made) committedMs.set(tool, at.getTime())
              deps.spans?.record(evaluationSpan(judged))
              deps.onEvaluated(judged)
            },
          }
        },
      }
    },
  }
}

function both(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>) {
  return new Map([...one, ...other])
}

function judgeInTime(
  deps: TraceJudgeDeps,
  holding: Holding,
  call: Parameters<typeof judgeTrace>[1],
): Evaluation | undefined {
  try {
    return judgeTrace(holding, call)
  } catch (err) {
    if (!(err instanceof TooLate)) throw err
    deps.onEvaluationFailed(err)
    return undefined
  }
}
