import type { ToolCall, TurnSummary } from '@touchstone/protocol/model-wire'
import { Problem } from '../../../kernel/problem.ts'
import { type DecidableCall, decidableCalls, type JudgedCall, refusalText } from './call.ts'
import type { Approvals, Decider, GatewayCall, TurnFacts } from './ports.ts'
import type { ThinkingService } from './thinking-service.ts'

/** Calls that are decided in one transaction (spec: decisions §5). */
export const BATCH_MAX = 50

export type JudgeDeps = {
  decider: Decider
  approvals: Approvals
  thinking: ThinkingService
  /** How long a call that waits for an approval is held. */
  escalationHoldMs: number
  elapsedMs(): number
}

type Decided =
  Awaited<ReturnType<Decider['decideAll']>>[number] extends PromiseSettledResult<infer Of>
    ? Of
    : never

/** Calls that were decided: each may be released or is refused, now or after an approval. */
type Judgement = { judged: JudgedCall[]; awaited: Promise<JudgedCall>[] }

/** Decides the calls of one turn (spec: model-gateway §3.4). */
export function createJudge(deps: JudgeDeps, facts: TurnFacts, signal: AbortSignal) {
  const taken = new Set<string>()
  const isHeld = deps.thinking.of(facts)

  /** The decisions that run, and those that wait for them. */
  let deciding: Promise<unknown> = Promise.resolve()

  /** One batch at a time: many at once would exhaust the pool and the time limit of evaluations. */
  const decideBatch = (batch: readonly GatewayCall[]): Promise<Decided[]> => {
    const { org, agentId, connection, client } = facts
    const caller = {
      askedBy: connection.connectionId,
      isBound: true,
      source: 'model_gateway',
      enforced: connection.mode === 'enforce',
      client,
    } as const
    const decided = deciding.then(async () =>
      (await deps.decider.decideAll(org, batch, caller, (id) => id === agentId)).map(decidedOf),
    )
    deciding = decided.catch(() => undefined)
    return decided
  }

  const awaitApproval = async (
    escalationId: string,
    escalated: { call: DecidableCall; asked: GatewayCall; judged: JudgedCall },
  ): Promise<JudgedCall> => {
    if (!(await isApproved(deps, escalationId, signal))) return escalated.judged
    const [second] = await decideBatch([{ ...escalated.asked, escalationId }])
    return second === undefined ? escalated.judged : toJudged(deps, escalated.call, second)
  }

  /** Decides the calls; those that wait for an approval are judged later. */
  const decide = async (calls: readonly ToolCall[], summary: TurnSummary): Promise<Judgement> => {
    const decidable = decidableCalls(calls, facts.turnId, taken)
    // A result of a refused call is a violation that may hold these calls.
    await facts.outcomesReported
    const turn = { isHeld: await isHeld(summary) }
    const asked = decidable.map((call) => toGatewayCall(facts, call, turn))
    const decided = await inBatches(asked, decideBatch)
    const judgement: Judgement = { judged: [], awaited: [] }
    for (const [at, call] of decidable.entries()) {
      const [first, request] = [decided[at], asked[at]]
      if (first === undefined || request === undefined) throw new Error('a call was not decided')
      const judged = toJudged(deps, call, first)
      const { escalationId } = first.result
      const isAwaited = judged.decision === 'escalate' && facts.connection.mode === 'enforce'
      if (isAwaited && escalationId !== null) {
        judgement.awaited.push(awaitApproval(escalationId, { call, asked: request, judged }))
      } else judgement.judged.push(judged)
    }
    return judgement
  }

  return {
    decide,
    /** Resolves once each call may be released or is refused; in the order of the calls. */
    async judge(calls: readonly ToolCall[], summary: TurnSummary): Promise<JudgedCall[]> {
      const { judged, awaited } = await decide(calls, summary)
      return [...judged, ...(await Promise.all(awaited))].sort((a, b) => a.n - b.n)
    },
  }
}

/**
 * Whether a call that could not be decided stays refused. An agent that no longer exists, or is
 * archived, is no failure of the gateway, so its calls are never released.
 */
export function failsClosed({ connection }: TurnFacts, err: unknown): boolean {
  const isGone =
    err instanceof Problem && (err.code === 'agent_not_found' || err.code === 'conflict')
  return isGone || connection.onError === 'fail_closed'
}

function decidedOf(result: PromiseSettledResult<Decided>): Decided {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

async function inBatches<From, To>(
  items: readonly From[],
  work: (batch: readonly From[]) => Promise<To[]>,
): Promise<To[]> {
  const results: To[] = []
  for (let at = 0; at < items.length; at += BATCH_MAX) {
    results.push(...(await work(items.slice(at, at + BATCH_MAX))))
  }
  return results
}

function toGatewayCall(
  { agentId, sessionId }: TurnFacts,
  { tool, callId, arguments: args, isUnreadable }: DecidableCall,
  { isHeld }: { isHeld: boolean },
): GatewayCall {
  return {
    agentId,
    tool,
    arguments: args,
    justification: undefined,
    sessionId,
    callId,
    transactionId: undefined,
    escalationId: undefined,
    turn: { isHeld, isUnreadable },
  }
}

function toJudged(
  { approvals }: JudgeDeps,
  { call, tool, arguments: args }: DecidableCall,
  { decisionId, result, isRecorded, isReplayed }: Decided,
): JudgedCall {
  const { decision, reasons } = result.decision
  const { escalationId } = result
  const approveUrl =
    decision === 'escalate' && escalationId !== null
      ? approvals.approveUrl(escalationId)
      : undefined
  return {
    n: call.n,
    tool,
    arguments: args,
    decision,
    decisionId: isRecorded && !isReplayed ? decisionId : undefined,
    isLetThrough: decision === 'allow' || decision === 'warn',
    text: refusalText({ tool: call.name, decisionId, message: reasons[0]?.message, approveUrl }),
  }
}

/** Requests that could not wait look again after this long. */
const RETRY_MS = 500

/** Waits for a person, at most as long as a call is held. */
async function isApproved(
  { approvals, escalationHoldMs, elapsedMs }: JudgeDeps,
  escalationId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const endMs = elapsedMs() + escalationHoldMs
  for (;;) {
    const askedMs = elapsedMs()
    const waitMs = endMs - askedMs
    if (waitMs <= 0 || signal.aborted) return false
    const answer = await approvals.awaitAnswer(escalationId, { waitMs, signal })
    if (answer !== undefined) return answer
    const left = Math.min(RETRY_MS, endMs - elapsedMs())
    if (elapsedMs() - askedMs < RETRY_MS && left > 0) {
      await new Promise((resolve) => setTimeout(resolve, left))
    }
  }
}
