/**
 * The format of the secrets that programs hold: a prefix, 32 random base62 characters, 6 checksum
 * characters. The checksum is not a security measure; it rejects a mistyped or truncated secret
 * without a database lookup, and lets secret scanners recognise it.
 */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^6 exceeds 2^32, so six characters hold every CRC-32. */
const CHECKSUM_LENGTH = 6
const RANDOM_FORM = /^[0-9A-Za-z]{32}$/
const TAIL_FORM = /^[0-9A-Za-z]{38}$/

/** The reversed IEEE 802.3 polynomial. */
const POLYNOMIAL = 0xedb88320
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
  return crc
})

/** Completes 32 random base62 characters to a token. The caller provides the randomness. */
export function formatToken(prefix: string, random32: string): string {
  if (!RANDOM_FORM.test(random32)) {
    throw new TypeError('the random part of a token must be 32 base62 characters')
  }
  const body = prefix + random32
  return body + checksum(body)
}

/** Checks format and checksum only, not whether the token exists. */
export function isWellFormedToken(prefix: string, token: string): boolean {
  if (!token.startsWith(prefix) || !TAIL_FORM.test(token.slice(prefix.length))) return false
  const body = token.slice(0, -CHECKSUM_LENGTH)
  return token.slice(-CHECKSUM_LENGTH) === checksum(body)
}

function checksum(ascii: string): string {
  let rest = crc32(ascii)
  let text = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}

function crc32(ascii: string): number {
  let crc = 0xffffffff
  for (let i = 0; i < ascii.length; i++) {
    crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ ascii.charCodeAt(i)) & 0xff] ?? 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}
