/**
 * The first 8 bytes of the SHA-256 of many short messages. package.json's `imports` selects one of
 * two implementations: WebAssembly that hashes four messages at once in Node, plain JavaScript
 * elsewhere.
 */
export type Sha256Heads = {
  /**
   * Message i is `bytes` from `starts[i]` to `ends[i]`, both ascending. Its head is put into `heads`, as a big-endian
   * number, for each i from `from` to `to`.
   */
  hash(messages: Messages, range: { from: number; to: number }, heads: BigUint64Array): void
}

export type Messages = { bytes: Uint8Array; starts: Int32Array; ends: Int32Array }

/** A longer message has no room for the padding in a single block. */
export const BLOCK_MESSAGE_BYTES_MAX = 55
