import type {
  EnforcementMode,
  Evaluation,
  EvaluationContext,
  PolicyVerdict,
} from '@touchstone/protocol/policy'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type Prompt, promptly } from '../../../kernel/promptly.ts'
import { type Calls, createCalls } from './call-service.ts'
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

/** A call that an agent is about to make. */
export type LiveAsk = {
  orgId: string
  agentId: string
  tools: readonly string[]
  context: 'gateway' | 'runtime'
  now: Date
  transaction?: NamedTransaction | undefined
  /** Conditions may ask for them; they are stored nowhere. */
  args?: Readonly<Record<string, unknown>> | undefined
  sessionId?: string | null | undefined
}

export type LiveOutcome =
  /** Neither policy nor transaction holds. */
  | { outcome: 'none' }
  | { outcome: 'failed'; failOpen: boolean }
  | {
      outcome: 'evaluated'
      evaluation: Evaluation
      mode: EnforcementMode
      policyId: string | null
      policyVersion: number | null
      evaluationId: string
      /** Resolves once it is committed, and rejects when it could not be. */
      recorded(): Promise<void>
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
    ...judging(deps, calls, recording),
    ...createTraceJudge(deps, firstSeen),
    ...looking(deps),
    ...ending(deps, firstSeen),
    /** Writes the evaluations that are still waiting. */
    close: recording.stop,
  }
}

type Unrecorded = {
  unseen: readonly string[]
  now: Date
  sessionId?: string | null | undefined
  isAwaited: boolean
}

function judging(deps: EvaluationDeps, calls: Calls, recording: Recording) {
  const record = (judged: JudgedCall, of: Unrecorded) => {
    const evaluationId = newId('pe')
    const { agentId } = judged
    const sightings = of.unseen.map((tool) => ({ agentId, tool, at: of.now }))
    const sessionId = of.sessionId ?? null
    const recorded = recording.record({ judged, evaluationId, sessionId, sightings }, of)
    return { evaluationId, recorded }
  }

  return {
    /** For callers that wait with a tool in hand: once all is in memory, no database is asked. */
    live: (ask: LiveAsk): Prompt<LiveOutcome> =>
      promptly(calls.judge(ask), (outcome): LiveOutcome => {
        if (outcome.outcome === 'none') return outcome
        if (outcome.outcome === 'failed') {
          deps.onEvaluationFailed(outcome.cause)
          return { outcome: 'failed', failOpen: outcome.failOpen }
        }
        const { judged, unseen } = outcome
        const { evaluation, mode, policyId, policyVersion } = judged
        const { now, sessionId } = ask
        // A pass is answered before it is recorded; callers wait for refusals only.
        const isAwaited = evaluation.verdict !== 'pass'
        const { evaluationId, recorded } = record(judged, { unseen, now, sessionId, isAwaited })
        return {
          outcome: 'evaluated',
          evaluation,
          mode,
          policyId,
          policyVersion,
          evaluationId,
          recorded,
        }
      }),

    async evaluate(ask: EvaluationAsk): Promise<EvaluationResult> {
      const { orgId, agentId, tools, context } = ask
      const candidate = await candidateOf(deps, ask)
      await assertAgent(deps, ask)
      const transaction = await transactionOf(deps, ask)
      const now = deps.clock.now()
      const given = { orgId, agentId, tools, context, now, transaction, candidate }
      const outcome = await calls.judge(given)
      if (outcome.outcome === 'none') throw noPolicy()
      if (outcome.outcome === 'failed') {
        throw new Error('a policy could not be evaluated', { cause: outcome.cause })
      }
      const { judged, unseen } = outcome
      // Decisions are made under the built-in rules then; here there is nothing to tell of.
      if (judged.policyId === null && transaction?.layers.length === 0) throw noPolicy()
      if (context === 'audit' || candidate !== undefined) return { ...judged, evaluationId: null }
      const { evaluationId, recorded } = record(judged, { unseen, now, isAwaited: true })
      await recorded()
      return { ...judged, evaluationId }
    },
  }
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

/** Before the agent is looked for, because the body comes first (04 §1.2). */
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
