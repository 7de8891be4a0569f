/**
 * The interface of both SHA-256 implementations. package.json's `imports` selects one: Node's
 * native code on the server, a pure JavaScript one if node:crypto is not available.
 */
export type Sha256 = {
  /** Strings are hashed as UTF-8, with a lone surrogate as U+FFFD in both implementations. */
  bytes(input: Uint8Array | string): Uint8Array
  /** Lower-case hex. */
  hex(input: Uint8Array | string): string
}
