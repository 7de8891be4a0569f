import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts values that must be stored and read back, such as private keys. AES-256-GCM under SECRET_KEY. */
export type SecretBox = {
  seal(plain: string, purpose: string): string
  open(sealed: string, purpose: string): string
  /**
   * For values that are only compared and could be guessed from a plain hash, such as addresses.
   * Hex; differs for each purpose and SECRET_KEY.
   */
  keyedHash(value: string, purpose: string): string
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The purpose is authenticated too, so a sealed value cannot be moved to another column. */
export function createSecretBox(key: Buffer): SecretBox {
  if (key.length !== 32) throw new Error('SECRET_KEY must be 32 bytes')
  // A key of its own, so that no key serves two algorithms.
  const hashKey = Buffer.from(hkdfSync('sha256', key, '', 'keyed hash', 32))
  return {
    seal(plain, purpose) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64')}`
    },
    open(sealed, purpose) {
      const bytes = Buffer.from(sealed.slice(3), 'base64')
      if (!sealed.startsWith('v1.') || bytes.length < NONCE_BYTES + TAG_BYTES) {
        throw new Error('not a sealed value')
      }
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      const body = bytes.subarray(NONCE_BYTES, -TAG_BYTES)
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
    },
    keyedHash(value, purpose) {
      const hmac = createHmac('sha256', hashKey)
      // Prefixed with the length, so that no two pairs of purpose and value give the same input.
      return hmac.update(`${purpose.length} ${purpose} ${value}`).digest('hex')
    },
  }
}
