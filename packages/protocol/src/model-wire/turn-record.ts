import { parseStrictText } from '../base/strict-json.ts'
import { utf8Length } from './byte-queue.ts'
import { DEPTH_MAX } from './json-span.ts'
import { createTurnNotes, type TurnNotes } from './turn-notes.ts'
import {
  ARGUMENT_BYTES_MAX,
  type CallArguments,
  type CallKind,
  type ToolCall,
  type TurnSummary,
  type Verdict,
} from './wire-format.ts'

/** Calls that an event waits for together, by their number, as there may be very many. */
export type CallGroup = { unsettled: number }

/** A call while it is read and until it is settled. */
export type HeldCall = {
  group: CallGroup
  n: number
  choice: number
  callId: string | undefined
  name: string
  kind: CallKind
  /** The text of the arguments, up to ARGUMENT_BYTES_MAX. */
  text: string
  bytes: number
  /** Why the arguments cannot be read although the text may be JSON. */
  defect: 'fragments' | 'inconsistent' | 'ambiguous' | undefined
  state: 'open' | 'complete' | 'released' | 'refused' | 'dropped'
  /** The text in place of a refused call. A dropped call is removed without one. */
  refusal: string
  /** Whether there is text before it that the refusal must not run into; for wires that join texts. */
  followsText: boolean
  /** Whether the refusal was written, which happens in the first event of the call. */
  isReplaced: boolean
  report: ToolCall | undefined
}

/** A turn as far as it is known; the readers of all wires write to it. */
export type TurnRecord = TurnNotes & {
  calls: readonly HeldCall[]
  allCalls: CallGroup
  openCall(call: Pick<HeldCall, 'group' | 'choice' | 'callId' | 'name' | 'kind'>): HeldCall
  appendArguments(call: HeldCall, text: string): void
  replaceArguments(call: HeldCall, text: string): void
  /** The JSON that is read next. */
  setSource(text: string): void
  /** The arguments are a value of the source, in which programs may read different ones. */
  judgeSource(call: HeldCall): void
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
  /** The memory that the calls of the turn take, settled ones included. */
  callBytes(): number
  summary(): TurnSummary
}

/** A call without its arguments. */
const CALL_BYTES = 500

export function createTurnRecord(): TurnRecord {
  const notes = createTurnNotes()
  const calls: HeldCall[] = []
  const allCalls: CallGroup = { unsettled: 0 }
  let completed: ToolCall[] = []
  let refusals = 0
  let callBytes = 0
  let source = ''
  let isSourceClear: boolean | undefined

  function settle(call: HeldCall, state: HeldCall['state']): void {
    call.state = state
    call.group.unsettled--
    allCalls.unsettled--
  }

  function drop(call: HeldCall): void {
    settle(call, 'dropped')
    refusals++
  }

  return {
    ...notes,
    calls,
    allCalls,
    openCall({ group, choice, callId, name, kind }) {
      const call: HeldCall = {
        group,
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
        followsText: false,
        isReplaced: false,
        report: undefined,
      }
      calls.push(call)
      group.unsettled++
      callBytes += CALL_BYTES
      allCalls.unsettled++
      return call
    },
    appendArguments(call, text) {
      if (call.bytes <= ARGUMENT_BYTES_MAX) call.text += text.slice(0, ARGUMENT_BYTES_MAX)
      call.bytes += utf8Length(text)
      callBytes += text.length
    },
    replaceArguments(call, text) {
      call.text = text.slice(0, ARGUMENT_BYTES_MAX)
      call.bytes = utf8Length(text)
      callBytes += text.length
    },
    setSource(text) {
      source = text
      isSourceClear = undefined
    },
    judgeSource(call) {
      isSourceClear ??= parseStrictText(source, { ...ARGUMENT_LIMITS, anyText: true }).ok
      if (!isSourceClear && call.state === 'open') call.defect ??= 'ambiguous'
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
        settle(call, verdict.isReleased ? 'released' : 'refused')
        if (verdict.isReleased) continue
        call.refusal = verdict.text
        refusals++
      }
    },
    releaseAll() {
      for (const call of calls) if (call.state === 'complete') settle(call, 'released')
    },
    drop,
    dropOpenCalls() {
      const open = calls.filter(({ state }) => state === 'open')
      open.forEach(drop)
      return open.length > 0
    },
    callBytes: () => callBytes,
    hasRefusals: () => refusals > 0,
    summary: () => ({ ...notes.describe(), calls: calls.flatMap(({ report }) => report ?? []) }),
  }
}

/** Programs differ in how they read duplicate keys, and numbers that a double does not hold. */
const ARGUMENT_LIMITS = {
  depthMax: DEPTH_MAX,
  valuesMax: Number.POSITIVE_INFINITY,
  exactIntegers: true,
}

/** Calls without parameters come with empty arguments on every wire. */
function readArguments({ text, bytes, kind, defect }: HeldCall): CallArguments {
  if (bytes > ARGUMENT_BYTES_MAX) return { isReadable: false, reason: 'too_large', text, bytes }
  if (defect !== undefined) return { isReadable: false, reason: defect, text, bytes }
  if (kind === 'custom') return { isReadable: true, text, value: { input: text }, bytes }
  if (text.trim() === '') return { isReadable: true, text, value: {}, bytes }
  const read = parseStrictText(text, ARGUMENT_LIMITS)
  if (!read.ok) return { isReadable: false, reason: 'not_json', text, bytes }
  return { isReadable: true, text, value: read.value, bytes }
}

export function isRemoved({ state }: HeldCall): boolean {
  return state === 'refused' || state === 'dropped'
}

/** Whether a turn asked for calls and none of them is left. */
export function areAllRefused(calls: readonly HeldCall[]): boolean {
  return calls.length > 0 && calls.every(isRemoved)
}
