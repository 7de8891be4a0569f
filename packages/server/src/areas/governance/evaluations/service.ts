import {
  type Evaluation,
  type EvaluationContext,
  evaluatePolicy,
  type PolicyVerdict,
} from '@touchstone/protocol/policy'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import type { Db, Page, PageRequest } from '../../../kernel/db.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  type PartitionedTable,
  prepareMonths,
  purgeMonths,
} from '../../../postgres/monthly-partitions.ts'
import type { CallTransaction } from './call-policy.ts'
import { createCalls, type Ready } from './call-service.ts'
import { createFirstSeen } from './first-seen-service.ts'
import {
  assertRange,
  evaluateHistory,
  type HistoryDeps,
  type HistoryResult,
  policyNotFound,
} from './history-service.ts'
import type { TimeRange } from './history-tally.ts'
import type { JudgedCall } from './judged-call.ts'
import type { Transactions } from './ports.ts'
import {
  createRecording,
  hasConsequences,
  type LiveCall,
  type RecordingDeps,
} from './recording-service.ts'
import { createEvaluationStore } from './store.ts'
import { RETENTION_DAYS, type StoredEvaluation } from './stored-evaluation.ts'
import { createTraceJudge, type TraceJudgeDeps } from './trace-policy-service.ts'

const TABLES: readonly PartitionedTable[] = [
  { name: 'policy_evaluation', key: 'evaluated_at', holds: 'time' },
]

export type EvaluationDeps = HistoryDeps &
  RecordingDeps &
  TraceJudgeDeps & {
    notices: Notices
    transactions: Transactions
  }

/** A live call that was evaluated before it was made. */
export type EvaluatedCall = {
  ready: Ready
  evaluation: Evaluation
  orgId: string
  agentId: string
  now: Date
  sessionId?: string | null | undefined
}

/** An evaluation requested over HTTP. */
export type EvaluationRequest = {
  orgId: string
  agentId: string
  tools: readonly string[]
  context: EvaluationContext
  transactionId: string | undefined
  /** A document to use instead of the agent's own, if any. */
  candidate: unknown
  /** False for a caller that may not change anything: the evaluation is answered and not stored. */
  isRecorded: boolean
}

export type EvaluationResult = JudgedCall & { evaluationId: string | null }

export type HistoryRequest = Omit<EvaluationRequest, 'tools' | 'transactionId' | 'isRecorded'> & {
  range: TimeRange
}

export type EvaluationService = ReturnType<typeof createEvaluationService>

export function createEvaluationService(deps: EvaluationDeps) {
  const store = createEvaluationStore(deps.db)
  const firstSeen = createFirstSeen(deps)
  const calls = createCalls(deps, firstSeen)
  const recording = createRecording(deps, firstSeen)
  const { prepareTraces } = createTraceJudge(deps, firstSeen)

  const conclude = (call: EvaluatedCall): LiveCall => {
    const { agentId, now } = call
    const { judged, unseen } = calls.conclude(call.ready, call.evaluation, call)
    const sightings = unseen.map((tool) => ({ agentId, tool, at: now }))
    return { judged, sessionId: call.sessionId ?? null, sightings }
  }

  return {
    /** Used by decisions: they evaluate a prepared call themselves and pass it back to `record`. */
    rulesOf: calls.rulesOf,
    prepare: calls.prepare,
    reportFailure: deps.onEvaluationFailed,

    /**
     * Counts the evaluation of a decision, which is stored with the decision, and queues the events
     * and first sightings that follow from it. Returns a function that awaits their commit.
     */
    note(call: EvaluatedCall): () => Promise<void> {
      const live = conclude(call)
      if (!hasConsequences(live)) return async () => undefined
      return recording.record(live, { isAwaited: call.evaluation.verdict !== 'pass' })
    },

    async evaluate(request: EvaluationRequest): Promise<EvaluationResult> {
      const { orgId, agentId, tools, context } = request
      const candidate = await candidateOf(deps, request)
      await assertAgent(deps, request)
      const transaction = await transactionOf(deps, request)
      const now = deps.clock.now()
      const rules =
        candidate === undefined
          ? await calls.rulesOf(orgId, agentId)
          : ({ readable: true, effective: candidate, readMs: 0 } as const)
      const ready = await calls.prepare(rules, { agentId, tools, context, transaction })
      if (ready.outcome === 'none') throw policyNotFound()
      if (ready.outcome === 'failed') throw evaluationFailed(ready.cause)
      const evaluation = evaluateReady(ready, now)
      // Decisions use the built-in rules in this case; a request for an evaluation has no policy.
      if (ready.callPolicy.policyId === null && transaction?.layers.length === 0) {
        throw policyNotFound()
      }
      const call = { ready, evaluation, orgId, agentId, now }
      if (context === 'audit' || candidate !== undefined || !request.isRecorded) {
        return { ...calls.conclude(ready, evaluation, call).judged, evaluationId: null }
      }
      const evaluationId = newId('pe')
      const live = conclude(call)
      await recording.record({ ...live, evaluationId }, { isAwaited: true })()
      return { ...live.judged, evaluationId }
    },

    async evaluateHistory(request: HistoryRequest): Promise<HistoryResult> {
      const { orgId, agentId, range, context } = request
      assertRange(range)
      const candidate = await candidateOf(deps, request)
      await assertAgent(deps, request)
      const effective = candidate ?? (await deps.policies.effectiveRules(orgId, agentId))
      return evaluateHistory(deps, { agentId, range, context, effective })
    },

    prepareTraces,

    list: (
      filter: { agentId: string; verdict: PolicyVerdict | undefined },
      page: PageRequest,
    ): Promise<Page<StoredEvaluation>> => store.list(filter, page),

    /** Creates the partitions of the coming months. */
    prepareMonths: () => prepareMonths(deps.db, TABLES, deps.clock.now()),

    /** Keeps first sightings as long as the agent exists, or grace periods would start again. */
    async purge(now: Date): Promise<number> {
      await prepareMonths(deps.db, TABLES, now)
      const total = await purgeMonths(deps.db, TABLES, later(now, -RETENTION_DAYS * DAY_MS))
      await store.deleteViolationMarksBefore(later(now, -DAY_MS))
      return total
    },

    /** Runs in the transaction that erases the agent. */
    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createEvaluationStore(tx).deleteOfAgent(agentId)
      await firstSeen.invalidateErased(tx, agentId)
    },

    /** Flushes the evaluations that are still queued. */
    close: recording.stop,
  }
}

function evaluateReady({ callPolicy, input }: Ready, now: Date): Evaluation {
  try {
    return evaluatePolicy(callPolicy.compiled, { ...input, nowMs: now.getTime() })
  } catch (cause) {
    throw evaluationFailed(cause)
  }
}

function evaluationFailed(cause: unknown): Error {
  return new Error('the policy could not be evaluated', { cause })
}

/** Runs before the agent is looked up, because the body is validated first (spec: platform §1.2). */
async function candidateOf(
  { policies }: EvaluationDeps,
  { orgId, agentId, candidate }: Pick<EvaluationRequest, 'orgId' | 'agentId' | 'candidate'>,
) {
  return candidate === undefined ? undefined : policies.candidate({ orgId, agentId }, candidate)
}

async function assertAgent(
  { agents }: EvaluationDeps,
  { orgId, agentId }: { orgId: string; agentId: string },
): Promise<void> {
  if ((await agents.orgOf(agentId)) === orgId) return
  throw new Problem('not_found', 'No such agent.')
}

async function transactionOf(
  { transactions }: EvaluationDeps,
  { orgId, agentId, transactionId }: EvaluationRequest,
): Promise<CallTransaction | undefined> {
  if (transactionId === undefined) return undefined
  const found = await transactions.forCall(orgId, agentId, transactionId)
  if (found === undefined) throw new Problem('not_found', 'No such transaction.')
  return found
}
