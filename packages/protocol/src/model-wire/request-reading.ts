import {
  isObjectSpan,
  isTooDeep,
  listItems,
  openSpan,
  readMembers,
  type Span,
  textOf,
} from './json-span.ts'
import type { DeclaredTool, RequestReading, SessionField } from './wire-format.ts'

/** Enough to tell sessions apart; a first message may have megabytes of files in it. */
const FIRST_TEXT_BYTES_MAX = 256 * 1024

/** The members of a request, found without parsing it. */
export function openRequest(body: Uint8Array): Map<string, Span> | undefined {
  const root = openSpan(body)
  if (!isObjectSpan(root) || isTooDeep(body)) return undefined
  return readMembers(root)
}

/** A reading without anything that only some wires have. */
export const EMPTY_READING: RequestReading = {
  model: undefined,
  isStreamAsked: false,
  streamFormat: undefined,
  session: undefined,
  firstUserText: '',
  declaredTools: [],
  toolResults: [],
  previousResponseId: undefined,
  conversation: undefined,
  isBackground: false,
}

export function isTrue(span: Span | undefined): boolean {
  return span !== undefined && span.bytes[span.start] === TRUE_FIRST_LETTER
}

const TRUE_FIRST_LETTER = 0x74

export function findMember(object: Span | undefined, key: string): Span | undefined {
  return readMembers(object).get(key)
}

/** The first of the client's fields that has a text. */
export function findSession(
  fields: readonly (readonly [SessionField, Span | undefined])[],
): RequestReading['session'] {
  for (const [field, span] of fields) {
    const value = textOf(span)
    if (value !== undefined && value !== '') return { field, value }
  }
  return undefined
}

/** The text of a message whose content is a string or a list of parts with a text. */
export function contentText(content: Span | undefined): string {
  const whole = cutText(content)
  if (whole !== undefined) return whole
  const texts: string[] = []
  let bytes = 0
  for (const part of listItems(content)) {
    const text = cutText(findMember(part, 'text'))
    if (text === undefined) continue
    texts.push(text)
    bytes += text.length
    if (bytes > FIRST_TEXT_BYTES_MAX) break
  }
  return texts.join('\n')
}

/** A long text is cut, perhaps within an escape sequence, which makes it unreadable but stays equal. */
function cutText(span: Span | undefined): string | undefined {
  if (span === undefined || span.end - span.start <= FIRST_TEXT_BYTES_MAX) return textOf(span)
  const first = span.bytes[span.start]
  if (first !== QUOTE) return undefined
  const end = span.start + FIRST_TEXT_BYTES_MAX
  return new TextDecoder().decode(span.bytes.subarray(span.start + 1, end))
}

const QUOTE = 0x22

/** Tools by name; ones without a name are named by their type. */
export function listTools(
  tools: Span | undefined,
  readTool: (tool: Map<string, Span>, type: string) => DeclaredTool | undefined,
): DeclaredTool[] {
  return listItems(tools).flatMap((tool) => {
    const members = readMembers(tool)
    return readTool(members, textOf(members.get('type')) ?? '') ?? []
  })
}
