import { utf8Length } from './byte-queue.ts'
import { parseJson } from './json-span.ts'
import {
  ARGUMENT_BYTES_MAX,
  type CallArguments,
  type CallKind,
  type TokenUsage,
  type ToolCall,
  type TurnEnd,
  type TurnSummary,
  type Verdict,
} from './wire-format.ts'

/** A call while it is read and until it is settled. */
export type HeldCall = {
  n: number
  choice: number
  callId: string | undefined
  name: string
  kind: CallKind
  /** The text of the arguments, up to ARGUMENT_BYTES_MAX. */
  text: string
  bytes: number
  /** Why the arguments cannot be read although the text may be JSON. */
  defect: 'fragments' | 'inconsistent' | undefined
  state: 'open' | 'complete' | 'released' | 'refused' | 'dropped'
  /** The text in place of a refused call. A dropped call is removed without one. */
  refusal: string
  /** Whether the refusal was written, which happens in the first event of the call. */
  isReplaced: boolean
  report: ToolCall | undefined
}

type Reasoning = 'native' | 'reasoning_summary'

/** What is known of a turn so far; the readers of all wires write to it. */
export type TurnRecord = {
  calls: readonly HeldCall[]
  openCall(call: Pick<HeldCall, 'choice' | 'callId' | 'name' | 'kind'>): HeldCall
  appendArguments(call: HeldCall, text: string): void
  replaceArguments(call: HeldCall, text: string): void
  complete(call: HeldCall): void
  /** The calls completed since the last time. */
  takeCompleted(): ToolCall[]
  settleAll(verdicts: readonly Verdict[]): void
  /** Releases what awaits a verdict. A call that is still open is reported once it is complete. */
  releaseAll(): void
  /** Removes a call that is not decided: it never ended, or came after its end. */
  drop(call: HeldCall): void
  /** Drops the calls that will have no end. Says whether there were any. */
  dropOpenCalls(): boolean
  hasRefusals(): boolean
  /** Blocks are joined by a line feed in the order of their first text. */
  addThinking(block: string, text: string, kind: Reasoning): void
  setThinking(block: string, text: string, kind: Reasoning): void
  addText(block: string, text: string): void
  setText(block: string, text: string): void
  withholdThinking(): void
  addServerTool(name: string, callId: string | undefined): void
  addUsage(usage: Partial<TokenUsage>): void
  setIdentity(model: unknown, answerId: unknown): void
  setEnd(end: TurnEnd): void
  hasFailed(): boolean
  summary(): TurnSummary
}

export function createTurnRecord(): TurnRecord {
  const calls: HeldCall[] = []
  let completed: ToolCall[] = []
  let refusals = 0
  const thinking = new Map<string, string>()
  const output = new Map<string, string>()
  let thinkingKind: TurnSummary['thinkingKind'] = 'none'
  let isThinkingWithheld = false
  const serverTools: { name: string; callId: string | undefined }[] = []
  let usage: TokenUsage | undefined
  let model: string | undefined
  let answerId: string | undefined
  let end: TurnEnd = { kind: 'open' }

  function drop(call: HeldCall): void {
    call.state = 'dropped'
    refusals++
  }

  function noteThinking(block: string, text: string, kind: Reasoning): void {
    if (text === '') return
    thinking.set(block, text)
    thinkingKind = kind
  }

  return {
    calls,
    openCall({ choice, callId, name, kind }) {
      const call: HeldCall = {
        n: calls.length + 1,
        choice,
        callId,
        name,
        kind,
        text: '',
        bytes: 0,
        defect: undefined,
        state: 'open',
        refusal: '',
        isReplaced: false,
        report: undefined,
      }
      calls.push(call)
      return call
    },
    appendArguments(call, text) {
      if (call.bytes <= ARGUMENT_BYTES_MAX) call.text += text.slice(0, ARGUMENT_BYTES_MAX)
      call.bytes += utf8Length(text)
    },
    replaceArguments(call, text) {
      call.text = text.slice(0, ARGUMENT_BYTES_MAX)
      call.bytes = utf8Length(text)
    },
    complete(call) {
      if (call.state !== 'open') return
      call.state = 'complete'
      const { n, callId, name, kind, choice } = call
      call.report = { n, callId, name, kind, arguments: readArguments(call), choice }
      completed.push(call.report)
    },
    takeCompleted() {
      if (completed.length === 0) return completed
      const taken = completed
      completed = []
      return taken
    },
    settleAll(verdicts) {
      for (const verdict of verdicts) {
        const call = calls[verdict.n - 1]
        if (call?.state !== 'complete') throw new Error(`call ${verdict.n} awaits no verdict`)
        call.state = verdict.isReleased ? 'released' : 'refused'
        if (verdict.isReleased) continue
        call.refusal = verdict.text
        refusals++
      }
    },
    releaseAll() {
      for (const call of calls) if (call.state === 'complete') call.state = 'released'
    },
    drop,
    dropOpenCalls() {
      const open = calls.filter(({ state }) => state === 'open')
      open.forEach(drop)
      return open.length > 0
    },
    hasRefusals: () => refusals > 0,
    addThinking: (block, text, kind) => {
      noteThinking(block, (thinking.get(block) ?? '') + text, kind)
    },
    setThinking: noteThinking,
    addText(block, text) {
      if (text !== '') output.set(block, (output.get(block) ?? '') + text)
    },
    setText(block, text) {
      if (text !== '') output.set(block, text)
    },
    withholdThinking() {
      isThinkingWithheld = true
    },
    addServerTool(name, callId) {
      serverTools.push({ name, callId })
    },
    addUsage(update) {
      usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, ...usage, ...update }
    },
    setIdentity(nextModel, nextId) {
      if (typeof nextModel === 'string' && nextModel !== '') model = nextModel
      if (typeof nextId === 'string' && nextId !== '') answerId = nextId
    },
    setEnd(next) {
      if (end.kind !== 'failed') end = next
    },
    hasFailed: () => end.kind === 'failed',
    summary: () => ({
      model,
      answerId,
      thinking: [...thinking.values()].join('\n'),
      thinkingKind,
      isThinkingWithheld,
      outputText: [...output.values()].join('\n'),
      calls: calls.flatMap(({ report }) => report ?? []),
      serverTools: [...serverTools],
      usage,
      end,
    }),
  }
}

/** Calls without parameters come with empty arguments on every wire. */
function readArguments({ text, bytes, kind, defect }: HeldCall): CallArguments {
  if (bytes > ARGUMENT_BYTES_MAX) return { isReadable: false, reason: 'too_large', text, bytes }
  if (defect !== undefined) return { isReadable: false, reason: defect, text, bytes }
  if (kind === 'custom') return { isReadable: true, text, value: { input: text }, bytes }
  const value = text.trim() === '' ? {} : parseJson(text)
  if (value === undefined) return { isReadable: false, reason: 'not_json', text, bytes }
  return { isReadable: true, text, value, bytes }
}

/** Whether a verdict, or the lack of an end, says how the call leaves. */
export function isSettled({ state }: HeldCall): boolean {
  return state !== 'open' && state !== 'complete'
}

export function isRemoved({ state }: HeldCall): boolean {
  return state === 'refused' || state === 'dropped'
}

/** Whether a turn asked for calls and none of them is left. */
export function areAllRefused(calls: readonly HeldCall[]): boolean {
  return calls.length > 0 && calls.every(isRemoved)
}
