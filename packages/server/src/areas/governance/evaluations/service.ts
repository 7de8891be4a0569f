import {
  type Evaluation,
  type EvaluationContext,
  evaluatePolicy,
  type PolicyVerdict,
} from '@touchstone/protocol/policy'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type Calls, createCalls, type Ready } from './call-service.ts'
import { createFirstSeen, type FirstSeen } from './first-seen-service.ts'
import {
  assertRange,
  evaluateHistory,
  type HistoryDeps,
  type HistoryResult,
  noPolicy,
} from './history-service.ts'
import type { TimeRange } from './history-tally.ts'
import type { NamedTransaction } from './holding.ts'
import type { JudgedCall } from './judged-call.ts'
import type { Transactions } from './ports.ts'
import { createRecording, type Recording, type RecordingDeps } from './recording-service.ts'
import { createEvaluationStore } from './store.ts'
import { KEPT_DAYS, type StoredEvaluation } from './stored-evaluation.ts'
import { createTraceJudge, type TraceJudgeDeps } from './trace-policy-service.ts'

export type EvaluationDeps = HistoryDeps &
  RecordingDeps &
  TraceJudgeDeps & {
    notices: Notices
    transactions: Transactions
  }

/** A call that was evaluated while its caller waits with the tool in hand. */
export type EvaluatedCall = {
  ready: Ready
  evaluation: Evaluation
  orgId: string
  agentId: string
  now: Date
  sessionId?: string | null | undefined
}

/** An evaluation as it is asked for over HTTP. */
export type EvaluationAsk = {
  orgId: string
  agentId: string
  tools: readonly string[]
  context: EvaluationContext
  transactionId: string | undefined
  /** A document in place of the agent's own; undefined for none. */
  candidate: unknown
}

export type EvaluationResult = JudgedCall & { evaluationId: string | null }

export type HistoryAsk = Omit<EvaluationAsk, 'tools' | 'transactionId'> & { range: TimeRange }

export type EvaluationService = ReturnType<typeof createEvaluationService>

export function createEvaluationService(deps: EvaluationDeps) {
  const firstSeen = createFirstSeen(deps)
  const calls = createCalls(deps, firstSeen)
  const recording = createRecording(deps, firstSeen)
  return {
    /** For decisions, which evaluate what was prepared here and hand it back to be recorded. */
    rulesOf: calls.rulesOf,
    prepare: calls.prepare,
    reportFailure: deps.onEvaluationFailed,
    ...judging(deps, calls, recording),
    ...createTraceJudge(deps, firstSeen),
    ...looking(deps),
    ...ending(deps, firstSeen),
    /** Writes the evaluations that are still waiting. */
    close: recording.stop,
  }
}

function judging(deps: EvaluationDeps, calls: Calls, recording: Recording) {
  const record = (call: EvaluatedCall, when: { isAwaited: boolean }) => {
    const { agentId, now } = call
    const { judged, unseen } = calls.conclude(call.ready, call.evaluation, call)
    const evaluationId = newId('pe')
    const sightings = unseen.map((tool) => ({ agentId, tool, at: now }))
    const sessionId = call.sessionId ?? null
    const recorded = recording.record({ judged, evaluationId, sessionId, sightings }, when)
    return { judged, evaluationId, recorded }
  }

  return {
    /**
     * Counts the evaluation and records it with the next batch. `recorded` resolves once it is
     * committed, and rejects when it could not be. Calls that pass are let through before that.
     */
    record(call: EvaluatedCall): { evaluationId: string; recorded(): Promise<void> } {
      return record(call, { isAwaited: call.evaluation.verdict !== 'pass' })
    },

    async evaluate(ask: EvaluationAsk): Promise<EvaluationResult> {
      const { orgId, agentId, tools, context } = ask
      const candidate = await candidateOf(deps, ask)
      await assertAgent(deps, ask)
      const transaction = await transactionOf(deps, ask)
      const now = deps.clock.now()
      const rules =
        candidate === undefined
          ? await calls.rulesOf(orgId, agentId)
          : ({ readable: true, standing: candidate, readMs: 0 } as const)
      const ready = await calls.prepare(rules, { agentId, tools, context, transaction })
      if (ready.outcome === 'none') throw noPolicy()
      if (ready.outcome === 'failed') throw unevaluated(ready.cause)
      const evaluation = evaluateReady(ready, now)
      // Decisions are made under the built-in rules then; here there is nothing to tell of.
      if (ready.holding.policyId === null && transaction?.layers.length === 0) throw noPolicy()
      const call = { ready, evaluation, orgId, agentId, now }
      if (context === 'audit' || candidate !== undefined) {
        return { ...calls.conclude(ready, evaluation, call).judged, evaluationId: null }
      }
      const { judged, evaluationId, recorded } = record(call, { isAwaited: true })
      await recorded()
      return { ...judged, evaluationId }
    },
  }
}

function evaluateReady({ holding, input }: Ready, now: Date): Evaluation {
  try {
    return evaluatePolicy(holding.compiled, { ...input, nowMs: now.getTime() })
  } catch (cause) {
    throw unevaluated(cause)
  }
}

function unevaluated(cause: unknown): Error {
  return new Error('a policy could not be evaluated', { cause })
}

function looking(deps: EvaluationDeps) {
  const store = createEvaluationStore(deps.db)
  return {
    async evaluateHistory(ask: HistoryAsk): Promise<HistoryResult> {
      const { orgId, agentId, range, context } = ask
      assertRange(range)
      const candidate = await candidateOf(deps, ask)
      await assertAgent(deps, ask)
      const standing = candidate ?? (await deps.policies.standing(orgId, agentId))
      return evaluateHistory(deps, { agentId, range, context, standing })
    },

    list: (
      filter: { agentId: string; verdict: PolicyVerdict | undefined },
      page: PageRequest,
    ): Promise<Page<StoredEvaluation>> => store.list(filter, page),
  }
}

function ending(deps: EvaluationDeps, firstSeen: FirstSeen) {
  return {
    /** First-seen stays as long as the agent does, or grace would begin anew. */
    async purge(now: Date): Promise<number> {
      const before = later(now, -KEPT_DAYS * DAY_MS)
      const total = await purgeInPages((rowsMax) =>
        transact(deps.db, (tx) => createEvaluationStore(tx).deleteBefore(before, rowsMax)),
      )
      await createEvaluationStore(deps.db).deleteToldBefore(later(now, -DAY_MS))
      return total
    },

    /** With the agent. */
    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createEvaluationStore(tx).deleteOfAgent(agentId)
      await firstSeen.tellErased(tx, agentId)
    },
  }
}

/** Before the agent is looked for, because the body comes first (spec: platform §1.2). */
async function candidateOf(
  { policies }: EvaluationDeps,
  { orgId, agentId, candidate }: Pick<EvaluationAsk, 'orgId' | 'agentId' | 'candidate'>,
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
  { orgId, agentId, transactionId }: EvaluationAsk,
): Promise<NamedTransaction | undefined> {
  if (transactionId === undefined) return undefined
  const found = await transactions.forCall(orgId, agentId, transactionId)
  if (found === undefined) throw new Problem('not_found', 'No such transaction.')
  return found
}
