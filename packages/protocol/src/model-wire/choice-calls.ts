import { argumentText, type Fields, fieldsOf, findText, listOf, stringOf } from './answer-values.ts'
import { type CallGroup, type HeldCall, isRemoved, type TurnRecord } from './turn-record.ts'
import type { CallKind } from './wire-format.ts'

/** A fragment of a call, or a whole one, by its place in a chunk. */
export type ChoiceCall = {
  call: HeldCall
  /** Where its choice is in `choices`. */
  position: number
  /** Where the fragment is in `tool_calls`; undefined for the legacy function_call. */
  toolPosition: number | undefined
}

export type ChoicePart = 'delta' | 'message'

/** The calls of the choices of a chat completion. */
export type ChoiceCalls = {
  /** All calls of a choice so far; the list grows. */
  callsOf(choice: number): readonly HeldCall[]
  groupOf(choice: number): CallGroup
  noteText(choice: number): void
  /** Calls of a delta, whose fragments are joined, or of a message, where every entry is a call. */
  readCalls(chunk: {
    choice: number
    position: number
    part: ChoicePart
    body: Fields
  }): ChoiceCall[]
  /**
   * Marks the open calls of a delta that clients could read as another call than was judged: some join
   * all fragments of an index, also of several choices, and some those of an id.
   */
  markShared(choice: number): void
  /** The index of a call after the refused ones before it are gone. */
  newIndex(call: HeldCall): number | undefined
  /** The text in place of the call, once. */
  takeRefusal(call: HeldCall): string | undefined
}

type Choice = {
  calls: HeldCall[]
  group: CallGroup
  /** The last call by the index of its fragments. */
  byKey: Map<string, HeldCall>
  indexes: Map<HeldCall, number>
  /** The indexes that remain, computed once all of these many calls are settled. */
  kept: { indexes: ReadonlyMap<number, number>; calls: number }
  hasText: boolean
  hasRefusal: boolean
}

const LEGACY_KEY = 'function_call'

export function createChoiceCalls(record: TurnRecord): ChoiceCalls {
  const choices = new Map<number, Choice>()

  function choiceAt(index: number): Choice {
    let choice = choices.get(index)
    if (choice === undefined) {
      choice = {
        calls: [],
        group: { unsettled: 0 },
        byKey: new Map(),
        indexes: new Map(),
        kept: { indexes: new Map(), calls: 0 },
        hasText: false,
        hasRefusal: false,
      }
      choices.set(index, choice)
    }
    return choice
  }

  function open(index: number, key: string, fields: Fields): HeldCall {
    const choice = choiceAt(index)
    const kind = kindOf(fields) ?? 'function'
    const callId = findText(fields['id'])
    const call = record.openCall({ group: choice.group, choice: index, callId, name: '', kind })
    call.followsText = choice.hasText
    choice.calls.push(call)
    choice.byKey.set(key, call)
    if (typeof fields['index'] === 'number') choice.indexes.set(call, fields['index'])
    return call
  }

  /** The call that a fragment belongs to. One for a call that has ended would change it: dropped. */
  function callFor(index: number, key: string, fields: Fields): HeldCall {
    const known = choiceAt(index).byKey.get(key)
    const id = findText(fields['id'])
    // Some servers give all parallel calls the same index, each with its own id.
    if (known === undefined || (id !== undefined && id !== (known.callId ?? id))) {
      return open(index, key, fields)
    }
    known.callId ??= id
    if (known.state === 'open') {
      // Only an index says that fragments belong together; some clients take each of these as a call.
      markIf(known, typeof fields['index'] !== 'number' && key !== LEGACY_KEY)
      return known
    }
    const late = open(index, key, fields)
    choiceAt(index).byKey.set(key, known)
    record.drop(late)
    return late
  }

  function append(call: HeldCall, fields: Fields): void {
    if (call.state !== 'open') return
    const { function: functionPart, custom } = fields
    const body = fieldsOf(functionPart ?? custom ?? fields)
    const name = stringOf(body['name'])
    markIf(call, name !== '' && call.name !== '' && name !== call.name)
    if (name !== '') call.name = name
    const { arguments: functionText, input } = body
    const given = functionText ?? input
    markIf(call, hasOtherPart(call, fields, body))
    if (typeof given !== 'string') record.judgeSource(call)
    record.appendArguments(call, argumentText(given))
  }

  return {
    callsOf: (choice) => choiceAt(choice).calls,
    groupOf: (choice) => choiceAt(choice).group,
    noteText(choice) {
      choiceAt(choice).hasText = true
    },
    readCalls({ choice, position, part, body }) {
      const find = part === 'message' ? open : callFor
      const found: ChoiceCall[] = []
      for (const [toolPosition, item] of listOf(body['tool_calls']).entries()) {
        const fields = fieldsOf(item)
        const call = find(choice, keyOf(fields, toolPosition), fields)
        markIf(call, part === 'delta' && hasOddIndex(fields))
        append(call, fields)
        found.push({ call, position, toolPosition })
      }
      const { function_call } = body
      if (function_call !== undefined && function_call !== null) {
        const fields = fieldsOf(function_call)
        const call = find(choice, LEGACY_KEY, fields)
        markIf(call, kindOf(fields) !== undefined)
        append(call, fields)
        found.push({ call, position, toolPosition: undefined })
      }
      return found
    },
    markShared(choice) {
      for (const calls of sharingCalls(choices.values())) {
        const isUnclear = calls.length > 1 && !calls.every(isSeparate)
        for (const call of calls) markIf(call, isUnclear && call.choice === choice)
      }
    },
    newIndex(call) {
      const choice = choiceAt(call.choice)
      const { calls } = choice
      if (choice.kept.calls !== calls.length) {
        choice.kept = { indexes: keptIndexes(choice), calls: calls.length }
      }
      const own = choice.indexes.get(call)
      return own === undefined ? undefined : choice.kept.indexes.get(own)
    },
    takeRefusal(call) {
      if (call.isReplaced || call.state !== 'refused') return undefined
      call.isReplaced = true
      const choice = choiceAt(call.choice)
      const follows = call.followsText || choice.hasRefusal
      choice.hasRefusal = true
      return follows ? `\n${call.refusal}` : call.refusal
    },
  }
}

function markIf(call: HeldCall, isInconsistent: boolean): void {
  if (isInconsistent && call.state === 'open') call.defect = 'inconsistent'
}

function hasOddIndex({ index }: Fields): boolean {
  return isGiven(index) && typeof index !== 'number'
}

/** Clients act on the part and the text that the kind of a call names, and ignore others. */
function hasOtherPart({ kind }: HeldCall, fields: Fields, body: Fields): boolean {
  const { function: functionPart, custom } = fields
  if (isGiven(functionPart) && isGiven(custom)) return true
  if ((kindOf(fields) ?? kind) !== kind) return true
  return isGiven(body[kind === 'custom' ? 'arguments' : 'input'])
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Undefined for a fragment that does not say. */
function kindOf({ type, function: functionPart, custom }: Fields): CallKind | undefined {
  if (isGiven(custom)) return 'custom'
  if (isGiven(functionPart)) return 'function'
  return type === 'custom' ? 'custom' : undefined
}

function keyOf({ index, id }: Fields, toolPosition: number): string {
  if (typeof index === 'number') return `index ${index}`
  return findText(id) === undefined ? `at ${toolPosition}` : `id ${id}`
}

/** The calls that have an index or id in common, each group once per index and id. */
function sharingCalls(choices: Iterable<Choice>): Iterable<readonly HeldCall[]> {
  const groups = new Map<string, HeldCall[]>()
  for (const { calls, indexes } of choices) {
    for (const call of calls) {
      for (const key of sharedKeysOf(call, indexes.get(call))) {
        const group = groups.get(key) ?? []
        group.push(call)
        groups.set(key, group)
      }
    }
  }
  return groups.values()
}

/** Clients join the fragments of calls that have one of these in common. */
function sharedKeysOf({ callId }: HeldCall, index: number | undefined): string[] {
  const keys = index === undefined ? [] : [`index ${index}`]
  if (callId !== undefined) keys.push(`id ${callId}`)
  return keys.length === 0 ? [LEGACY_KEY] : keys
}

/** Whether joining the call to others gives no readable arguments, however it is joined. */
function isSeparate({ kind, text }: HeldCall): boolean {
  return kind === 'function' && text.trim() !== ''
}

/** New indexes by old ones. Several calls may share an index, which is kept if one of them is. */
function keptIndexes({ indexes }: Choice): Map<number, number> {
  const kept = new Set<number>()
  for (const [call, index] of indexes) if (!isRemoved(call)) kept.add(index)
  let gaps = 0
  const all = [...new Set(indexes.values())].sort((a, b) => a - b)
  return new Map(all.map((index) => [index, kept.has(index) ? index - gaps : index - gaps++]))
}
