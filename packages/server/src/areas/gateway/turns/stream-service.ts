import type {
  AnswerStream,
  StreamFault,
  StreamStep,
  ToolCall,
} from '@touchstone/protocol/model-wire'
import type { Sink, TurnStream } from '../../../model-turn.ts'
import { type EndedTurn, type JudgedCall, verdictOf } from './call.ts'
import { BATCH_MAX, createJudge, failsClosed, type JudgeDeps } from './judge-service.ts'
import type { TurnFacts } from './ports.ts'

export type StreamDeps = JudgeDeps & {
  /** Between two keep-alives while calls are held. */
  keepAliveMs: number
  onHeld(ms: number): void
  onError(err: unknown): void
}

/** Passed on in place of calls that the gateway failed to judge. */
const FAILURE_MESSAGE = 'Touchstone failed to judge a tool call, so the answer ends here.'

const FAULT_MESSAGES: Record<StreamFault['kind'], string> = {
  unreadable_event:
    'The model provider sent an event that cannot be read, so a call in it could not be judged.',
  event_too_large: 'The model provider sent an event that is too long to be read.',
  held_too_large: 'The tool calls of the answer are too long to be held.',
  truncated_call: 'The model provider ended the answer in the middle of an event or a tool call.',
}

/**
 * Drives one streamed answer: everything but calls passes at once, calls when they are decided. All
 * bytes leave through the stream of the wire, which keeps their order.
 */
export function createTurnStream(turn: {
  deps: StreamDeps
  facts: TurnFacts
  stream: AnswerStream
  sink: Sink
  end(ended: EndedTurn): Promise<unknown>
}): TurnStream {
  const { deps, facts, stream, sink } = turn
  const isHolding = facts.connection.mode === 'enforce'
  const gone = new AbortController()
  const judge = createJudge(deps, facts, gone.signal)
  const judged: JudgedCall[] = []
  /** Complete calls that are not being decided yet, in their order. */
  const queue: ToolCall[] = []
  let isSettling = false
  const pending = new Set<Promise<void>>()
  let keepAlive: NodeJS.Timeout | undefined
  /** failed: ended by an error event. abandoned: everything passes from now on. */
  let state: 'judging' | 'failed' | 'abandoned' | 'left' = 'judging'

  let isUngoverned = false

  const write = (chunks: readonly Uint8Array[]): void => {
    if (chunks.length > 0 && state !== 'left') sink.write(chunks)
  }

  const beat = (): void => {
    if (isHolding && state === 'judging') write([stream.keepAlive()])
  }

  const fail = (message: string): void => {
    if (state !== 'judging') return
    write(stream.fail(message))
    state = 'failed'
    sink.stop()
  }

  const abandon = (): void => {
    write(stream.abandon())
    state = 'abandoned'
    isUngoverned = true
  }

  /** Our own failure: what happens is the choice of the connection. */
  const failOwn = (err: unknown): void => {
    deps.onError(err)
    if (state !== 'judging') return
    if (isHolding && failsClosed(facts, err)) fail(FAILURE_MESSAGE)
    else abandon()
  }

  const track = (work: Promise<void>): void => {
    const tracked = work.finally(() => {
      pending.delete(tracked)
      if (pending.size === 0) clearInterval(keepAlive)
    })
    if (pending.size === 0) keepAlive = setInterval(beat, deps.keepAliveMs)
    pending.add(tracked)
  }

  const settle = (found: readonly JudgedCall[]): void => {
    judged.push(...found)
    if (state === 'judging' && isHolding) write(stream.settle(found.map(verdictOf)))
  }

  /** The calls after a call that waits for an approval are decided meanwhile. */
  const settleLater = async (call: Promise<JudgedCall>, startedMs: number): Promise<void> => {
    try {
      settle([await call])
    } catch (err) {
      failOwn(err)
    }
    if (isHolding) deps.onHeld(deps.elapsedMs() - startedMs)
  }

  /** Decides one batch after another. Calls that complete meanwhile form the next one. */
  const settleQueue = async (): Promise<void> => {
    isSettling = true
    while (queue.length > 0) {
      const startedMs = deps.elapsedMs()
      try {
        const found = await judge.decide(queue.splice(0, BATCH_MAX), stream.summary())
        for (const call of found.awaited) track(settleLater(call, startedMs))
        settle(found.judged)
      } catch (err) {
        failOwn(err)
        // Nothing of it leaves any more.
        if (state === 'failed') queue.length = 0
      }
      if (isHolding) deps.onHeld(deps.elapsedMs() - startedMs)
    }
    isSettling = false
  }

  const takeFault = (fault: StreamFault): void => {
    if (fault.kind === 'truncated_call') {
      if (!fault.hasProviderError) fail(FAULT_MESSAGES.truncated_call)
    } else if (isHolding && facts.connection.onError === 'fail_closed') {
      fail(FAULT_MESSAGES[fault.kind])
    } else abandon()
  }

  const apply = ({ forward, decide, fault }: StreamStep): void => {
    write(forward)
    if (decide.length > 0 && (state === 'judging' || state === 'abandoned')) {
      queue.push(...decide)
      if (!isSettling) track(settleQueue())
    }
    if (fault !== undefined) takeFault(fault)
  }

  let finished: Promise<void> | undefined
  /** Once, although the client may leave while the end waits for held calls. */
  const finish = (): Promise<void> => {
    finished ??= finishTurn()
    return finished
  }

  const finishTurn = async (): Promise<void> => {
    // Nothing is held, so the client need not wait for the decisions about its calls.
    if (!isHolding) sink.end()
    while (pending.size > 0) await Promise.all(pending)
    clearInterval(keepAlive)
    await turn.end({ summary: stream.summary(), judged, isUngoverned })
    sink.end()
  }

  return {
    push(chunk) {
      if (state === 'failed' || state === 'left') return
      apply(stream.push(chunk))
    },

    isOver: () => state === 'failed',

    heldBytes: () => stream.heldBytes(),

    async whenSettled() {
      await Promise.all(pending)
    },

    async end() {
      if (state === 'judging' || state === 'abandoned') apply(stream.end())
      await finish()
    },

    async break(message) {
      // Calls that were complete are still decided and released; then the error follows.
      while (pending.size > 0) await Promise.all(pending)
      fail(message)
      await finish()
    },

    leave() {
      if (state === 'left') return
      state = 'left'
      clearInterval(keepAlive)
      gone.abort()
      void finish().catch(deps.onError)
    },
  }
}
