import { canonicalJson } from '@touchstone/protocol/base'
import type { ToolCall } from './tool-call.ts'

/** The largest text of a checkpoint (spec: evidence §4.1). */
export const TEXT_MAX = 400_000
export const NAME_MAX = 256
/** Strings in the arguments of a recorded call are cut at this length (spec: provenance §2). */
const ARGUMENT_MAX = 200

/** With the u flag a surrogate pair is one character, so only lone surrogates match. */
const REJECTED_CHARACTERS = /[\0\p{Surrogate}]/gu

/** The service rejects NUL and lone surrogates, which truncation may leave behind. */
export function sanitise(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(REJECTED_CHARACTERS, '\u{FFFD}')
}

/** Arguments as JSON without rejected characters and with strings of at most this length. */
export function sanitiseArguments(
  args: Readonly<Record<string, unknown>>,
  lengthMax = TEXT_MAX,
): Record<string, unknown> {
  return sanitiseObject(jsonOf(args), lengthMax)
}

/**
 * Arguments without a JSON form, such as a circular object, count as empty: only a local policy can
 * have allowed such a call, and recording a call must never make it fail.
 */
function jsonOf(args: object): object {
  try {
    return Object(JSON.parse(JSON.stringify(args)))
  } catch {
    return {}
  }
}

/** Sanitises all strings and member names of a JSON value. */
function sanitiseJson(value: unknown, lengthMax: number): unknown {
  if (typeof value === 'string') return sanitise(value, lengthMax)
  if (Array.isArray(value)) return value.map((item) => sanitiseJson(item, lengthMax))
  if (typeof value !== 'object' || value === null) return value
  return sanitiseObject(value, lengthMax)
}

function sanitiseObject(value: object, lengthMax: number): Record<string, unknown> {
  const members = Object.entries(value)
  return Object.fromEntries(
    members.map(([name, item]) => [sanitise(name, NAME_MAX), sanitiseJson(item, lengthMax)]),
  )
}

/** The call itself is the model's output to analyse; the tool's result is not. */
export function lineOf({ tool, arguments: args = {} }: ToolCall): string {
  const json = canonicalJson(sanitiseArguments(args, ARGUMENT_MAX))
  return sanitise(`${sanitise(tool, NAME_MAX)}(${json})`, TEXT_MAX)
}

export function hasText(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}
