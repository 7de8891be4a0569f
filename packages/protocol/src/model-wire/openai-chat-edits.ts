import { fieldsOf, listOf } from './answer-values.ts'
import { decodeText } from './byte-queue.ts'
import type { ChoiceCall, ChoiceCalls, ChoicePart } from './choice-calls.ts'
import {
  applyEdits,
  type Edit,
  editMembers,
  listItems,
  parseJson,
  parseSpan,
  rawText,
  readMembers,
  type Span,
  textOf,
} from './json-span.ts'
import { areAllRefused, isRemoved } from './turn-record.ts'

type ChoiceEdit = {
  choices: ChoiceCalls
  calls: readonly ChoiceCall[]
  part: ChoicePart
  position: number
}

/** The edits that take the refused calls out of one choice of a chunk or of a completion. */
export function choiceEdits(choice: Span, { choices, calls, part, position }: ChoiceEdit): Edit[] {
  const members = readMembers(choice)
  const edits: Edit[] = []
  const delta = members.get(part)
  if (delta !== undefined && calls.length > 0) {
    const changes = messageChanges(readMembers(delta), choices, calls)
    if (changes.size > 0) edits.push(editMembers(delta, changes))
  }
  const reason = members.get('finish_reason')
  const asksForTools = /^(?:tool_calls|function_call)$/.test(textOf(reason) ?? '')
  const index = part === 'message' ? position : parseSpan(members.get('index'))
  const own = choices.callsOf(typeof index === 'number' ? index : position)
  if (reason !== undefined && asksForTools && areAllRefused(own)) {
    edits.push({ start: reason.start, end: reason.end, text: '"stop"' })
  }
  return edits
}

function messageChanges(
  message: ReadonlyMap<string, Span>,
  choices: ChoiceCalls,
  calls: readonly ChoiceCall[],
): Map<string, string | undefined> {
  const changes = new Map<string, string | undefined>()
  const tools = listItems(message.get('tool_calls'))
  const texts = tools.map((tool) => rawText(tool))
  const kept = calls.flatMap(({ call, toolPosition }) => {
    const tool = tools[toolPosition ?? -1]
    if (tool === undefined || isRemoved(call)) return []
    return withIndex(tool, choices.newIndex(call)) ?? rawText(tool)
  })
  if (kept.join() !== texts.join()) {
    changes.set('tool_calls', kept.length === 0 ? undefined : `[${kept.join(',')}]`)
  }
  if (calls.some(({ call, toolPosition }) => toolPosition === undefined && isRemoved(call))) {
    changes.set('function_call', undefined)
  }
  const refusals = calls.map(({ call }) => choices.takeRefusal(call) ?? '').join('')
  if (refusals !== '') changes.set('content', withText(message.get('content'), refusals))
  return changes
}

/** Undefined if the index stays. */
function withIndex(tool: Span, index: number | undefined): string | undefined {
  const current = readMembers(tool).get('index')
  if (current === undefined || index === undefined) return undefined
  if (parseSpan(current) === index) return undefined
  const edit = { start: current.start, end: current.end, text: String(index) }
  return decodeText(applyEdits(tool, [edit]))
}

/** The content is a string or null, on some servers a list of parts. */
function withText(content: Span | undefined, text: string): string {
  const value = parseSpan(content)
  if (Array.isArray(value)) return JSON.stringify([...listOf(value), { type: 'text', text }])
  return JSON.stringify((textOf(content) ?? '') + text)
}

/** Whether a chunk has nothing to say since its calls are gone. */
export function isEmptyChunk(text: string): boolean {
  const { choices, usage } = fieldsOf(parseJson(text))
  const list = listOf(choices)
  if (list.length === 0 || (usage !== undefined && usage !== null)) return false
  return list.every((item) => {
    const { delta, finish_reason } = fieldsOf(item)
    return Object.keys(fieldsOf(delta)).length === 0 && (finish_reason ?? null) === null
  })
}
