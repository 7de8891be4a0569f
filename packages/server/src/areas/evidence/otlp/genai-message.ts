import type { AttributeValue } from './span.ts'

/** A tool call of the model. */
export type ToolCall = { name: string; arguments: AttributeValue }

/** The model's output, independent of the recorded format. */
export type ModelOutput = {
  thinking: readonly string[]
  text: readonly string[]
  calls: readonly ToolCall[]
  /** The thinking was recorded as `reasoning_content` beside the answer, not as a part of it. */
  besideAnswer: boolean
}

export const EMPTY_OUTPUT: ModelOutput = { thinking: [], text: [], calls: [], besideAnswer: false }

/**
 * Reads one message: the parts of the conventions since 1.37, the content and tool calls of chat
 * completions in earlier versions, and provider-specific blocks.
 */
export function readMessage(message: AttributeValue): ModelOutput {
  if (typeof message === 'string') return { ...EMPTY_OUTPUT, text: filled(message) }
  if (!isObject(message)) return EMPTY_OUTPUT
  const content = [message['parts'], message['content']].map(readContent)
  const calls = listOf(message['tool_calls']).flatMap(readCall)
  const beside = textsOf(message['reasoning_content'], message['reasoning'])
  const output = mergeOutputs([...content, { ...EMPTY_OUTPUT, calls }])
  if (message['role'] === 'thinking') return { ...output, thinking: output.text, text: [] }
  if (output.thinking.length > 0 || beside.length === 0) return output
  return { ...output, thinking: beside, besideAnswer: true }
}

export function mergeOutputs(all: readonly ModelOutput[]): ModelOutput {
  return {
    thinking: all.flatMap((output) => output.thinking),
    text: all.flatMap((output) => output.text),
    calls: all.flatMap((output) => output.calls),
    besideAnswer: all.some((output) => output.besideAnswer),
  }
}

export function isEmptyOutput(output: ModelOutput): boolean {
  return output.thinking.length + output.text.length + output.calls.length === 0
}

function readContent(content: AttributeValue | undefined): ModelOutput {
  if (typeof content === 'string') return { ...EMPTY_OUTPUT, text: filled(content) }
  return mergeOutputs(listOf(content).map(readPart))
}

/** Selects by the part's type; an Amazon Bedrock block has a single field instead. */
function readPart(part: AttributeValue): ModelOutput {
  if (typeof part === 'string') return { ...EMPTY_OUTPUT, text: filled(part) }
  if (!isObject(part)) return EMPTY_OUTPUT
  const texts = textsOf(part['content'], part['text'])
  switch (part['type']) {
    case 'text':
    case 'output_text':
      return { ...EMPTY_OUTPUT, text: texts.slice(0, 1) }
    case 'reasoning':
    case 'thinking': {
      const thinking = [...textsOf(part['thinking']), ...texts].slice(0, 1)
      return { ...EMPTY_OUTPUT, thinking }
    }
    case 'tool_call':
    case 'tool_use':
    case 'function_call':
      return { ...EMPTY_OUTPUT, calls: readCall(part) }
    case undefined:
      return readBlock(part)
    default:
      return EMPTY_OUTPUT
  }
}

type ObjectValue = { readonly [name: string]: AttributeValue }

function readBlock(block: ObjectValue): ModelOutput {
  const reasoning = block['reasoningContent']
  const inner = isObject(reasoning) ? reasoning['reasoningText'] : undefined
  return {
    ...EMPTY_OUTPUT,
    text: textsOf(block['text']),
    thinking: isObject(inner) ? textsOf(inner['text']) : [],
    calls: block['toolUse'] === undefined ? [] : readCall(block['toolUse']),
  }
}

/** The fields are on the call itself, or below `function` as in chat completions. */
export function readCall(call: AttributeValue): ToolCall[] {
  if (!isObject(call)) return []
  const inner = call['function']
  const fields = isObject(inner) ? inner : call
  const name = fields['name'] ?? fields['toolName']
  if (typeof name !== 'string' || name === '') return []
  const given = fields['arguments'] ?? fields['input'] ?? fields['args'] ?? null
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
    // The cast is safe, because every JSON value is an AttributeValue.
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

export function isObject(value: AttributeValue | undefined): value is ObjectValue {
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
