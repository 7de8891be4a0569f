import { bytesToBase64 } from '@touchstone/protocol/base'
import { sha256Bytes } from '@touchstone/protocol/crypto'
import { STYLE } from './style.ts'

/** A Content-Security-Policy that allows this one style sheet and no other resource. */
export function contentPolicy(): string {
  const style = bytesToBase64(sha256Bytes(STYLE))
  return `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}
