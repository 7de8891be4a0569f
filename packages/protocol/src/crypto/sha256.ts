/**
 * What both SHA-256 implementations offer. package.json's `imports` picks one: Node's native
 * code on the server, a pure one wherever node:crypto does not exist.
 */
export type Sha256 = {
  /** Strings are hashed as UTF-8; a lone surrogate counts as U+FFFD in both. */
  bytes(input: Uint8Array | string): Uint8Array
  /** Lower-case hex. */
  hex(input: Uint8Array | string): string
}
