import type {
  AnswerFormat,
  RefusedOutput,
  TurnSummary,
  WholeAnswer,
} from '@touchstone/protocol/model-wire'
import type { Sink, Turn, TurnStream } from '../../../model-turn.ts'
import { type EndedTurn, type JudgedCall, verdictOf } from './call.ts'
import { evidenceOf } from './evidence.ts'
import { createJudge, failsClosed } from './judge-service.ts'
import type { TurnFacts } from './ports.ts'
import type { RecordService } from './record-service.ts'
import { storable } from './storable.ts'
import { createTurnStream, type StreamDeps } from './stream-service.ts'
import type { Usage } from './usage.ts'

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
export function createTurn(
  deps: TurnDeps,
  facts: TurnFacts,
  { usedUp, giveBack }: { usedUp: readonly string[] } & Pick<Turn, 'giveBack'>,
): Turn {
  const { wire, agentId, sessionId, isStreamAsked } = facts
  return {
    headers: {
      'x-touchstone-agent': agentId,
      'x-touchstone-session': sessionId,
      ...(usedUp.length === 0 ? {} : { 'x-touchstone-budget': usedUp.join(', ') }),
    },
    answerFormat: (contentType): AnswerFormat => wire.answerFormat({ contentType, isStreamAsked }),
    giveBack,
    answer: (body, signal) => answerWhole(deps, facts, body, signal),
    open: (format, sink) => openStream(deps, facts, format, sink),
  }
}

function openStream(
  deps: TurnDeps,
  facts: TurnFacts,
  format: AnswerFormat,
  sink: Sink,
): TurnStream {
  return createTurnStream({
    deps,
    facts,
    sink,
    stream: facts.wire.createStream({
      format: format === 'json_array' ? 'json_array' : 'sse',
      isHolding: facts.connection.mode === 'enforce',
    }),
    end: (ended) => endTurn(deps, facts, ended),
  })
}

type Answered = Awaited<ReturnType<Turn['answer']>>

async function answerWhole(
  deps: TurnDeps,
  facts: TurnFacts,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<Answered> {
  const whole = facts.wire.readAnswer(body)
  if (whole === undefined) {
    return facts.isStreamAsked ? answerEvents(deps, facts, body) : answerUnread(deps, facts, body)
  }
  const judging = judgeWhole(deps, facts, whole, signal)
  if (facts.connection.mode === 'observe') {
    // Nothing is held, so the client need not wait for the decisions about its calls.
    judging.then((ended) => endTurn(deps, facts, ended)).catch(deps.onError)
    return { body, headers: {} }
  }
  const ended = await judging
  const { judged, isUngoverned } = ended
  const checkpointId = await endTurn(deps, facts, ended)
  const isRewritten = !isUngoverned && whole.calls.length > 0
  return {
    body: isRewritten ? whole.rewrite(judged.map(verdictOf)) : body,
    headers: {
      ...(checkpointId === undefined ? {} : { 'x-touchstone-checkpoint': checkpointId }),
      'x-touchstone-decisions': countsOf(judged),
    },
  }
}

/** A client may find a call in what we cannot read. */
async function answerUnread(deps: TurnDeps, facts: TurnFacts, body: Uint8Array): Promise<Answered> {
  const { mode, onError } = facts.connection
  const isHeld = mode === 'enforce' && body.byteLength > 0
  if (isHeld && onError === 'fail_closed') return undefined
  const { summary } = facts.wire.createStream()
  await endTurn(deps, facts, { summary: summary(), judged: [], isUngoverned: isHeld })
  return { body, headers: {} }
}

/** Clients that asked for a stream read events, whatever the Content-Type says. */
async function answerEvents(deps: TurnDeps, facts: TurnFacts, body: Uint8Array): Promise<Answered> {
  const chunks: Uint8Array[] = []
  const sink: Sink = {
    write: (more) => void chunks.push(...more),
    end: () => undefined,
    stop: () => undefined,
  }
  const stream = openStream(deps, facts, 'sse', sink)
  stream.push(body)
  await stream.end()
  return { body: Buffer.concat(chunks), headers: {} }
}

async function judgeWhole(
  deps: TurnDeps,
  facts: TurnFacts,
  { calls, summary }: WholeAnswer,
  signal: AbortSignal,
): Promise<EndedTurn> {
  if (calls.length === 0) return { summary, judged: [], isUngoverned: false }
  const judge = createJudge(deps, facts, signal)
  const startedMs = deps.elapsedMs()
  try {
    const judged = await judge.judge(calls, summary)
    deps.onHeld(deps.elapsedMs() - startedMs)
    return { summary, judged, isUngoverned: false }
  } catch (err) {
    if (facts.connection.mode === 'enforce' && failsClosed(facts, err)) throw err
    deps.onError(err)
    return { summary, judged: [], isUngoverned: true }
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
    requestedModel: storable(facts.requestedModel, MODEL_LENGTH_MAX),
    model: storable(summary.model ?? facts.requestedModel, MODEL_LENGTH_MAX),
    turns: 1,
    inputTokens: usage?.inputTokens ?? 0,
    cachedTokens: usage?.cachedTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    toolCalls: summary.calls.length,
    blocked: judged.filter(({ isLetThrough }) => !isLetThrough).length,
    ungoverned: isUngoverned ? 1 : 0,
  }
}
