import { createHmac, timingSafeEqual } from 'node:crypto'

/** Time-based one-time passwords (RFC 6238), as authenticator apps compute them. */
export const STEP_SECONDS = 30
const DIGITS = 6
/** Codes of the steps before and after are accepted, because clocks differ (RFC 6238 §5.2). */
const STEPS_AROUND = 1
/** As long as the output of HMAC-SHA-1 (RFC 4226 §4). */
export const SECRET_BYTES = 20

export function stepAt(now: Date): number {
  return Math.floor(now.getTime() / 1000 / STEP_SECONDS)
}

/** The code of a counter value (RFC 4226 §5.3). */
export function hotp(
  secret: Uint8Array,
  counter: number,
  { digits = DIGITS, algorithm = 'sha1' }: { digits?: number; algorithm?: string } = {},
): string {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(counter))
  const mac = createHmac(algorithm, secret).update(message).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0x0f
  const value = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(value % 10 ** digits).padStart(digits, '0')
}

/**
 * The time step of a code, or undefined if it is wrong. A code works once: only steps after the last
 * accepted one count (RFC 6238 §5.2).
 */
export function acceptedStep(
  secret: Uint8Array,
  attempt: { code: string; now: Date; lastStep: number },
): number | undefined {
  const current = stepAt(attempt.now)
  let found: number | undefined
  for (let step = current - STEPS_AROUND; step <= current + STEPS_AROUND; step += 1) {
    if (step > attempt.lastStep && equals(hotp(secret, step), attempt.code)) found = step
  }
  return found
}

/** Read by authenticator apps, usually from a QR code. */
export function otpauthUri(account: { issuer: string; name: string; secret: Uint8Array }): string {
  const label = `${encodeURIComponent(account.issuer)}:${encodeURIComponent(account.name)}`
  const query = [
    `secret=${toBase32(account.secret)}`,
    `issuer=${encodeURIComponent(account.issuer)}`,
    'algorithm=SHA1',
    `digits=${DIGITS}`,
    `period=${STEP_SECONDS}`,
  ]
  return `otpauth://totp/${label}?${query.join('&')}`
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Without padding, as authenticator apps expect it (RFC 4648 §6). */
export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(buffer >>> bits) & 31] ?? ''
    }
    buffer &= 31
  }
  return bits > 0 ? text + (ALPHABET[(buffer << (5 - bits)) & 31] ?? '') : text
}

function equals(expected: string, given: string): boolean {
  const a = Buffer.from(expected)
  const b = Buffer.from(given)
  return a.length === b.length && timingSafeEqual(a, b)
}
