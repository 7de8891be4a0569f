import { escapeInvisible } from '@touchstone/protocol/base'

/** JSON that is safe to print on a terminal. The value that a parser reads stays the same. */
export function jsonText(value: unknown, indent = 0): string {
  return escapeInvisible(JSON.stringify(value, null, indent))
}
