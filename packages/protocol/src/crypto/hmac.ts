import { sha256Bytes } from './hash.ts'

/** The block size of SHA-256 (FIPS 180-4). */
const BLOCK_BYTES = 64

const utf8 = new TextEncoder()

/** HMAC-SHA-256 (RFC 2104). A string is hashed as UTF-8. */
export function hmacSha256(key: Uint8Array, message: Uint8Array | string): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES)
  block.set(key.length > BLOCK_BYTES ? sha256Bytes(key) : key)
  const text = typeof message === 'string' ? utf8.encode(message) : message
  return padded(block, 0x5c, padded(block, 0x36, text))
}

function padded(key: Uint8Array, pad: number, message: Uint8Array): Uint8Array {
  const input = new Uint8Array(BLOCK_BYTES + message.length)
  for (let i = 0; i < BLOCK_BYTES; i++) input[i] = (key[i] ?? 0) ^ pad
  input.set(message, BLOCK_BYTES)
  return sha256Bytes(input)
}
