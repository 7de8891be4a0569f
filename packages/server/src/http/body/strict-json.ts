import { isUtf8 } from 'node:buffer'
import { type JsonLimits, type JsonResult, parseStrictText } from '@touchstone/protocol/base'

/** The value of a body, or why it has none. */
export function parseStrictJson(bytes: Buffer, limits?: JsonLimits): JsonResult {
  if (bytes.length === 0) return { ok: false, reason: 'empty' }
  if (!isUtf8(bytes)) return { ok: false, reason: 'not valid UTF-8' }
  return parseStrictText(bytes.toString('utf8'), limits)
}
