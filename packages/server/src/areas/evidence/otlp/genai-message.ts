import type { AttributeValue } from './span.ts'

/** A tool call of the model. */
export type ToolCall = { name: string; arguments: AttributeValue }

/** The model's output, independent of the recorded format. */
export type Said = {
  thinking: readonly string[]
  text: readonly string[]
  calls: readonly ToolCall[]
  /** The thinking was recorded as `reasoning_content` beside the answer, not as a part of it. */
  besideAnswer: boolean
}

export const NOTHING_SAID: Said = { thinking: [], text: [], calls: [], besideAnswer: false }

/**
 * Reads one message: the parts of the conventions since 1.37, the content and tool calls of chat
 * completions in earlier versions, and provider-specific blocks.
 */
export function readMessage(message: AttributeValue): Said {
  if (typeof message === 'string') return { ...NOTHING_SAID, text: filled(message) }
  if (!isMembers(message)) return NOTHING_SAID
  const content = [message['parts'], message['content']].map(readContent)
  const calls = listOf(message['tool_calls']).flatMap(readCall)
  const beside = textsOf(message['reasoning_content'], message['reasoning'])
  const said = joinSaid([...content, { ...NOTHING_SAID, calls }])
  if (message['role'] === 'thinking') return { ...said, thinking: said.text, text: [] }
  if (said.thinking.length > 0 || beside.length === 0) return said
  return { ...said, thinking: beside, besideAnswer: true }
}

export function joinSaid(all: readonly Said[]): Said {
  return {
    thinking: all.flatMap((said) => said.thinking),
    text: all.flatMap((said) => said.text),
    calls: all.flatMap((said) => said.calls),
    besideAnswer: all.some((said) => said.besideAnswer),
  }
}

export function saysNothing(said: Said): boolean {
  return said.thinking.length + said.text.length + said.calls.length === 0
}

function readContent(content: AttributeValue | undefined): Said {
  if (typeof content === 'string') return { ...NOTHING_SAID, text: filled(content) }
  return joinSaid(listOf(content).map(readPart))
}

/** Selects by the part's type; an Amazon Bedrock block has a single member instead. */
function readPart(part: AttributeValue): Said {
  if (typeof part === 'string') return { ...NOTHING_SAID, text: filled(part) }
  if (!isMembers(part)) return NOTHING_SAID
  const texts = textsOf(part['content'], part['text'])
  switch (part['type']) {
    case 'text':
    case 'output_text':
      return { ...NOTHING_SAID, text: texts.slice(0, 1) }
    case 'reasoning':
    case 'thinking': {
      const thinking = [...textsOf(part['thinking']), ...texts].slice(0, 1)
      return { ...NOTHING_SAID, thinking }
    }
    case 'tool_call':
    case 'tool_use':
    case 'function_call':
      return { ...NOTHING_SAID, calls: readCall(part) }
    case undefined:
      return readBlock(part)
    default:
      return NOTHING_SAID
  }
}

type Members = { readonly [name: string]: AttributeValue }

function readBlock(block: Members): Said {
  const reasoning = block['reasoningContent']
  const inner = isMembers(reasoning) ? reasoning['reasoningText'] : undefined
  return {
    ...NOTHING_SAID,
    text: textsOf(block['text']),
    thinking: isMembers(inner) ? textsOf(inner['text']) : [],
    calls: block['toolUse'] === undefined ? [] : readCall(block['toolUse']),
  }
}

/** Members are on the call itself, or below `function` as in chat completions. */
export function readCall(call: AttributeValue): ToolCall[] {
  if (!isMembers(call)) return []
  const inner = call['function']
  const members = isMembers(inner) ? inner : call
  const name = members['name'] ?? members['toolName']
  if (typeof name !== 'string' || name === '') return []
  const given = members['arguments'] ?? members['input'] ?? members['args'] ?? null
  return [{ name, arguments: parsedOf(given) }]
}

/** Arguments are often JSON text; any other text is kept. */
function parsedOf(given: AttributeValue): AttributeValue {
  if (typeof given !== 'string') return given
  return findJson(given) ?? given
}

/** Serialising deeper values would overflow the stack. */
const DEPTH_MAX = 64

/** Undefined unless the text is JSON within the depth limit. */
export function findJson(text: string): AttributeValue | undefined {
  try {
    const value = JSON.parse(text) as AttributeValue
    return isDeeper(value, DEPTH_MAX) ? undefined : value
  } catch {
    return undefined
  }
}

function isDeeper(value: AttributeValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((item) => isDeeper(item, levels - 1))
}

export function isMembers(value: AttributeValue | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function listOf(value: AttributeValue | undefined): readonly AttributeValue[] {
  return Array.isArray(value) ? value : []
}

function textsOf(...values: readonly (AttributeValue | undefined)[]): string[] {
  return values.flatMap((value) => (typeof value === 'string' ? filled(value) : []))
}

function filled(text: string): string[] {
  return text.trim() === '' ? [] : [text]
}
