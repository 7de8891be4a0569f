/** References kept before small pieces are copied together: a reference costs a hundred bytes. */
const REFERENCES_MAX = 32
const BLOCK_BYTES_MIN = 1024

/** Bytes that wait for their end, without copies unless they come in very many small pieces. */
export type ByteQueue = {
  append(piece: Uint8Array): void
  /** Empties the queue. */
  take(): Uint8Array[]
  peek(): Uint8Array[]
  size(): number
}

export function createByteQueue(): ByteQueue {
  let pieces: Uint8Array[] = []
  let block: Uint8Array = new Uint8Array(0)
  let blockLength = 0
  let size = 0

  function copy(piece: Uint8Array): void {
    const needed = blockLength + piece.length
    if (needed > block.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * block.length, BLOCK_BYTES_MIN))
      larger.set(block.subarray(0, blockLength))
      block = larger
    }
    block.set(piece, blockLength)
    blockLength = needed
  }

  function peek(): Uint8Array[] {
    return blockLength > 0 ? [...pieces, block.subarray(0, blockLength)] : pieces
  }

  return {
    peek,
    append(piece) {
      if (piece.length === 0) return
      size += piece.length
      if (pieces.length < REFERENCES_MAX) pieces.push(piece)
      else copy(piece)
    },
    take() {
      const taken = peek()
      pieces = []
      block = new Uint8Array(0)
      blockLength = 0
      size = 0
      return taken
    },
    size: () => size,
  }
}

/** Adds a piece, as one with the last piece if it continues it in memory. */
export function appendPiece(pieces: Uint8Array[], piece: Uint8Array): void {
  if (piece.length === 0) return
  const last = pieces.at(-1)
  const continues =
    last !== undefined &&
    last.buffer === piece.buffer &&
    last.byteOffset + last.length === piece.byteOffset
  if (!continues) {
    pieces.push(piece)
    return
  }
  const joined = new Uint8Array(last.buffer, last.byteOffset, last.length + piece.length)
  pieces[pieces.length - 1] = joined
}

/** A single piece is returned as it is. */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces
  if (first !== undefined && pieces.length === 1) return first
  let length = 0
  for (const piece of pieces) length += piece.length
  const joined = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Invalid UTF-8 becomes replacement characters, as in the clients; the bytes are sent unchanged. */
export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** The length in UTF-8, without encoding. */
export function utf8Length(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    // A surrogate pair has two units and four bytes, so each of them counts two.
    length += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2
  }
  return length
}
