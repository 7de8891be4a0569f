import type { HookCall, HookOutcome } from './hook-event.ts'

export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return value as Fields
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** The API accepts these characters in a session id (spec: decisions §1). */
const SESSION_CHARACTERS = /[^A-Za-z0-9._:-]/g
const ID_LENGTH_MAX = 128
const CALL_ID = /^[\x20-\x7e]{1,128}$/

export function sessionOf(value: unknown): string | undefined {
  return textOf(value)?.replace(SESSION_CHARACTERS, '-').slice(0, ID_LENGTH_MAX)
}

function callIdOf(value: unknown): string | undefined {
  const text = textOf(value)
  return text !== undefined && CALL_ID.test(text) ? text : undefined
}

const TOOL_LENGTH_MAX = 256

/** A name that policies can match: without white space, at most 256 characters. */
function toolNameOf(name: string): string {
  return name.replace(/\s+/g, '_').slice(0, TOOL_LENGTH_MAX)
}

export function mcpTool(server: string, tool: string): string {
  return `mcp__${server}__${tool}`
}

/** Arguments are an object; anything else becomes one, so that rules and hashes cover it. */
function argumentsOf(value: unknown): Fields | undefined {
  if (value === undefined || value === null) return undefined
  const fields = fieldsOf(value) ?? fieldsOf(parsed(value))
  return fields ?? { input: value }
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return undefined
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** Returns undefined if the tool has no name. */
export function callOf(tool: unknown, args: unknown, callId?: unknown): HookCall | undefined {
  const name = textOf(tool)
  if (name === undefined || name.trim() === '') return undefined
  return { tool: toolNameOf(name), arguments: argumentsOf(args), call_id: callIdOf(callId) }
}

const ERROR_LENGTH_MAX = 500

export function executed(result: unknown, durationMs?: unknown): HookOutcome {
  return { status: 'executed', duration_ms: numberOf(durationMs), error: undefined, result }
}

export function failed(error: unknown, durationMs?: unknown): HookOutcome {
  const message = textOf(error) ?? textOf(fieldsOf(error)?.['message'])
  return {
    status: 'failed',
    duration_ms: numberOf(durationMs),
    error: message?.slice(0, ERROR_LENGTH_MAX),
    result: undefined,
  }
}
