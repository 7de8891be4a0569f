import type { AnswerFormat, RefusedOutput, TurnSummary } from '@touchstone/protocol/model-wire'
import type { Turn } from '../../../model-turn.ts'
import { type EndedTurn, type JudgedCall, verdictOf } from './call.ts'
import { evidenceOf } from './evidence.ts'
import { createJudge } from './judge-service.ts'
import type { TurnFacts } from './ports.ts'
import type { RecordService } from './record-service.ts'
import { createTurnStream, type StreamDeps } from './stream-service.ts'
import type { Usage } from './usage-store.ts'

export type TurnDeps = StreamDeps & {
  recorder: RecordService
  /** Counts the turn; awaited before its end is passed on, so that budgets see it. */
  count(facts: TurnFacts, usage: Usage): Promise<void>
  /** Keeps what the next request of the conversation needs. */
  keep(
    facts: TurnFacts,
    answerId: string | undefined,
    refused: readonly RefusedOutput[],
  ): Promise<void>
  onUngoverned(): void
  onTokens(kind: 'input' | 'cached' | 'output', tokens: number): void
}

const MODEL_LENGTH_MAX = 128

/** `usedUp` are the budgets that only warn. */
export function createTurn(deps: TurnDeps, facts: TurnFacts, usedUp: readonly string[]): Turn {
  const { wire, connection, agentId, sessionId, isStreamAsked } = facts
  return {
    headers: {
      'x-touchstone-agent': agentId,
      'x-touchstone-session': sessionId,
      ...(usedUp.length === 0 ? {} : { 'x-touchstone-budget': usedUp.join(', ') }),
    },
    answerFormat: (contentType): AnswerFormat => wire.answerFormat({ contentType, isStreamAsked }),
    answer: (body) => answerWhole(deps, facts, body),
    open: (format, sink) =>
      createTurnStream({
        deps,
        facts,
        sink,
        stream: wire.createStream({
          format: format === 'json_array' ? 'json_array' : 'sse',
          isHolding: connection.mode === 'enforce',
        }),
        end: (ended) => endTurn(deps, facts, ended),
      }),
  }
}

async function answerWhole(deps: TurnDeps, facts: TurnFacts, body: Uint8Array) {
  const whole = facts.wire.readAnswer(body)
  if (whole === undefined) return { body, headers: {} }
  const { calls, summary } = whole
  const judge = createJudge(deps, facts, new AbortController().signal)
  let judged: readonly JudgedCall[] = []
  let isUngoverned = false
  try {
    const startedMs = deps.elapsedMs()
    if (calls.length > 0) judged = await judge.judge(calls, summary)
    if (calls.length > 0) deps.onHeld(deps.elapsedMs() - startedMs)
  } catch (err) {
    if (facts.connection.onError === 'fail_closed' && facts.connection.mode === 'enforce') throw err
    deps.onError(err)
    isUngoverned = true
  }
  const ended = { summary, judged, isUngoverned }
  const checkpointId = await endTurn(deps, facts, ended)
  const isRewritten = facts.connection.mode === 'enforce' && !isUngoverned && calls.length > 0
  return {
    body: isRewritten ? whole.rewrite(judged.map(verdictOf)) : body,
    headers: {
      ...(checkpointId === undefined ? {} : { 'x-touchstone-checkpoint': checkpointId }),
      'x-touchstone-decisions': countsOf(judged),
    },
  }
}

/** For example `allow=2, block=1`. */
function countsOf(judged: readonly JudgedCall[]): string {
  const counts = new Map<string, number>()
  for (const { decision } of judged) counts.set(decision, (counts.get(decision) ?? 0) + 1)
  return [...counts].map(([decision, count]) => `${decision}=${count}`).join(', ')
}

/** Records the turn. Returns the id of its checkpoint, unless it is gathered with later ones. */
async function endTurn(
  deps: TurnDeps,
  facts: TurnFacts,
  { summary, judged, isUngoverned }: EndedTurn,
): Promise<string | undefined> {
  if (isUngoverned) deps.onUngoverned()
  const used = usageOf(facts, { summary, judged, isUngoverned })
  deps.onTokens('input', used.inputTokens)
  deps.onTokens('cached', used.cachedTokens)
  deps.onTokens('output', used.outputTokens)
  const isEnforced = facts.connection.mode === 'enforce' && !isUngoverned
  const evidence = evidenceOf(summary, judged, isUngoverned)
  const checkpointId = deps.recorder.record(facts, evidence)
  const refused = isEnforced ? refusedOutputs(summary, judged) : []
  await Promise.all([deps.count(facts, used), deps.keep(facts, summary.answerId, refused)]).catch(
    deps.onError,
  )
  return checkpointId
}

function refusedOutputs(summary: TurnSummary, judged: readonly JudgedCall[]): RefusedOutput[] {
  return judged.flatMap(({ n, isLetThrough, text }) => {
    const call = summary.calls.find((one) => one.n === n)
    if (isLetThrough || call?.callId === undefined) return []
    return [{ callId: call.callId, name: call.name, kind: call.kind, text }]
  })
}

function usageOf(facts: TurnFacts, { summary, judged, isUngoverned }: EndedTurn): Usage {
  const { usage } = summary
  return {
    requestedModel: facts.requestedModel.slice(0, MODEL_LENGTH_MAX),
    model: (summary.model ?? facts.requestedModel).slice(0, MODEL_LENGTH_MAX),
    turns: 1,
    inputTokens: usage?.inputTokens ?? 0,
    cachedTokens: usage?.cachedTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    toolCalls: summary.calls.length,
    blocked: judged.filter(({ isLetThrough }) => !isLetThrough).length,
    ungoverned: isUngoverned ? 1 : 0,
  }
}
