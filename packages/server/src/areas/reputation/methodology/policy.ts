import { bytesToBase64 } from '@touchstone/protocol/base'
import { sha256Bytes } from '@touchstone/protocol/crypto'
import { STYLE } from './style.ts'

/** A browser may apply this one style sheet and load nothing at all. */
export function contentPolicy(): string {
  const style = bytesToBase64(sha256Bytes(STYLE))
  return `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}
