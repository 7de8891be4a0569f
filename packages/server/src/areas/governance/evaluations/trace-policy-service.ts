import type { Evaluation } from '@touchstone/protocol/policy'
import type { Db } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import { type CallPolicy, callPolicyOf } from './call-policy.ts'
import { type CallDeps, createDeadline, EvaluationTimeout } from './call-service.ts'
import { evaluationSpan } from './evaluation-span.ts'
import type { FirstSeen, ToolUse } from './first-seen-service.ts'
import { findingsOf, judgedCall, judgeTrace, type PolicyFindings } from './judged-call.ts'
import type { Agents } from './ports.ts'
import { createEvaluationStore, type Sighting } from './store.ts'
import { toStoredEvaluation } from './stored-evaluation.ts'

/** The policy result of a trace that is being stored. */
export type TraceJudgement = {
  findings: PolicyFindings
  /** Runs in the transaction that stores the trace. */
  record(tx: Db, traceId: string): Promise<void>
  /** Runs after that transaction has committed. */
  settle(): void
}

export type TracePolicies = {
  /**
   * Synchronous. Returns undefined without a policy or if the evaluation timed out. `sighted` has the
   * agent's tools first seen in the same transaction; `record` adds to it.
   */
  judge(trace: ToolUse & { at: Date }, sighted: Map<string, number>): TraceJudgement | undefined
}

export type TraceJudgeDeps = CallDeps & {
  agents: Agents
  /** Reports the failure. The trace is stored anyway, because evidence must not be lost. */
  onEvaluationFailed(cause: unknown): void
}

/** Evaluates incoming traces in context runtime, each at its own timestamp. */
export function createTraceJudge(deps: TraceJudgeDeps, firstSeen: FirstSeen) {
  const callPoliciesOf = async (orgId: string, agentIds: ReadonlySet<string>) => {
    const callPolicies = new Map<string, CallPolicy>()
    for (const agentId of agentIds) {
      const callPolicy = callPolicyOf(await deps.policies.effectiveRules(orgId, agentId), undefined)
      if (callPolicy !== undefined) callPolicies.set(agentId, callPolicy)
    }
    return callPolicies
  }

  return {
    /** Reads everything for a batch of traces. Agents without a policy need no query. */
    async prepareTraces(orgId: string, uses: readonly ToolUse[]): Promise<TracePolicies> {
      const callPolicies = await callPoliciesOf(orgId, new Set(uses.map(({ agentId }) => agentId)))
      const seen = await firstSeen.read(uses.filter(({ agentId }) => callPolicies.has(agentId)))
      return {
        judge({ agentId, tools, at }, sighted) {
          const callPolicy = callPolicies.get(agentId)
          const committedMs = seen.get(agentId)
          if (callPolicy === undefined || committedMs === undefined) return undefined
          const firstSeenMs =
            sighted.size === 0 ? committedMs : new Map([...committedMs, ...sighted])
          const startedMs = deps.elapsedMs()
          const context = 'runtime'
          const beforeStep = createDeadline(deps, startedMs)
          const call = { tools, context, now: at, firstSeenMs, beforeStep } as const
          const evaluation = judgeInTime(deps, callPolicy, call)
          if (evaluation === undefined) return undefined
          const judged = judgedCall(callPolicy, {
            orgId,
            agentId,
            context,
            evaluation,
            evaluatedAt: deps.clock.now(),
            durationMs: deps.elapsedMs() - startedMs,
          })
          const unseen = [...new Set(tools)].filter((tool) => !firstSeenMs.has(tool))
          let inserted: readonly Sighting[] = []
          return {
            findings: findingsOf(judged),
            async record(tx, traceId) {
              const store = createEvaluationStore(tx)
              const evaluationId = newId('pe')
              const stored = toStoredEvaluation(judged, { evaluationId, traceId })
              await store.insertAll([stored], deps.agents.selectExisting)
              const sightings = unseen.map((tool) => ({ agentId, tool, at }))
              inserted = sightings.length === 0 ? [] : await store.insertSightings(sightings)
              for (const { tool } of inserted) sighted.set(tool, at.getTime())
            },
            settle() {
              firstSeen.remember(inserted)
              // Later traces of the batch must find these tools as already seen.
              for (const { tool } of inserted) committedMs.set(tool, at.getTime())
              deps.spans?.record(evaluationSpan(judged))
              deps.onEvaluated(judged)
            },
          }
        },
      }
    },
  }
}

function judgeInTime(
  deps: TraceJudgeDeps,
  callPolicy: CallPolicy,
  call: Parameters<typeof judgeTrace>[1],
): Evaluation | undefined {
  try {
    return judgeTrace(callPolicy, call)
  } catch (err) {
    if (!(err instanceof EvaluationTimeout)) throw err
    deps.onEvaluationFailed(err)
    return undefined
  }
}
