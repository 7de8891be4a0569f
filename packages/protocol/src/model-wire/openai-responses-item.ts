import { argumentText, type Fields, fieldsOf, findText, stringOf } from './answer-values.ts'
import type { CallKind, RefusedOutput } from './wire-format.ts'

/** A call that the client executes or approves, as an output item has it. */
export type ItemCall = {
  callId: string | undefined
  name: string
  kind: CallKind
  text: string
}

type Read = (item: Fields) => Pick<ItemCall, 'name' | 'kind' | 'text'> | undefined

const builtin = (name: string, value: unknown) => ({
  name,
  kind: 'builtin' as const,
  text: JSON.stringify(value ?? {}),
})

/** Types of calls. Undefined if the provider executes this one. */
const CALL_TYPES: Readonly<Record<string, Read>> = {
  function_call: (item) => ({
    name: stringOf(item['name']),
    kind: 'function',
    text: argumentText(item['arguments']),
  }),
  custom_tool_call: (item) => ({
    name: stringOf(item['name']),
    kind: 'custom',
    text: stringOf(item['input']),
  }),
  mcp_approval_request: (item) => ({
    name: stringOf(item['name']),
    kind: 'approval',
    text: argumentText(item['arguments']),
  }),
  computer_call: ({ action, actions }) => builtin('computer', { action, actions }),
  local_shell_call: ({ action }) => builtin('local_shell', action),
  shell_call: ({ action, environment }) =>
    fieldsOf(environment)['type'] === 'container_reference' ? undefined : builtin('shell', action),
  apply_patch_call: ({ operation }) => builtin('apply_patch', operation),
  tool_search_call: ({ arguments: query, execution }) =>
    execution === 'client' ? builtin('tool_search', query) : undefined,
}

/** Executed by the provider; the name of the tool is the type without `_call`. */
const SERVER_TYPES = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'mcp_list_tools',
  'shell_call',
  'tool_search_call',
  'program',
])

/**
 * The call of an output item. A type that we do not know is one if it has a call_id, because then the
 * provider awaits an output.
 */
export function readItemCall(item: Fields): ItemCall | undefined {
  const type = stringOf(item['type'])
  const callId = findText(item['call_id']) ?? findText(item['id'])
  const known = CALL_TYPES[type]?.(item)
  if (known !== undefined) return { callId, ...known }
  const isCall = type.endsWith('_call') && findText(item['call_id']) !== undefined
  if (!isCall || SERVER_TYPES.has(type)) return undefined
  const { id: _id, status: _status, ...rest } = item
  return { callId, ...builtin(type.slice(0, -'_call'.length), rest) }
}

/** The name of a tool that the provider executed. */
export function readServerTool(item: Fields): string | undefined {
  const type = stringOf(item['type'])
  if (!SERVER_TYPES.has(type)) return undefined
  return findText(item['name']) ?? type.replace(/_call$/, '')
}

/** One white pixel, because the output of a computer call can only be a picture. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsVlnQwAAAABJRU5ErkJggg=='

/** The item that the provider awaits for a call that we refused. */
export function refusedOutputItem({ callId, kind, name, text }: RefusedOutput): Fields {
  if (kind === 'function') return { type: 'function_call_output', call_id: callId, output: text }
  if (kind === 'custom') return { type: 'custom_tool_call_output', call_id: callId, output: text }
  if (kind === 'approval') {
    const type = 'mcp_approval_response'
    return { type, approval_request_id: callId, approve: false, reason: text }
  }
  return builtinOutput(callId, name, text)
}

function builtinOutput(callId: string, name: string, text: string): Fields {
  const type = `${name}_call_output`
  switch (name) {
    case 'local_shell':
      return { type, id: callId, output: text }
    case 'shell': {
      const outcome = { type: 'exit', exit_code: 1 }
      return { type, call_id: callId, output: [{ stdout: '', stderr: text, outcome }] }
    }
    case 'apply_patch':
      return { type, call_id: callId, status: 'failed', output: text }
    case 'computer': {
      const output = { type: 'computer_screenshot', image_url: PIXEL }
      return { type, call_id: callId, output }
    }
    case 'tool_search':
      return { type: 'tool_search_output', call_id: callId, execution: 'client', tools: [] }
    default:
      return { type, call_id: callId, output: text }
  }
}
