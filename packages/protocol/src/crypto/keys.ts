import { bytesToBase64Url, bytesToHex } from '../base/encoding.ts'
import { sha256Hex } from './hash.ts'

/** A signing key as GET /v1/keys returns it: a JWK (RFC 8037) with additional fields. */
export type PublishedKey = {
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  kid: string
  /** `log` is for the key that signs checkpoints of the witnessed log, and for nothing else. */
  use: 'sig' | 'log'
  alg: 'EdDSA'
  key_id: string
  algorithm: 'Ed25519'
  /** The raw 32 bytes in hex; `x` is the same in base64url. */
  public_key: string
  created_at: string
  is_active: boolean
}

/** Derived from the key itself, so that nobody can publish a different key under the same id. */
export function keyId(publicKey: Uint8Array): string {
  return `key-${sha256Hex(publicKey).slice(0, 16)}`
}

export function publishedKey(
  publicKey: Uint8Array,
  {
    createdAt,
    isActive,
    use = 'sig',
  }: { createdAt: string; isActive: boolean; use?: PublishedKey['use'] },
): PublishedKey {
  if (publicKey.length !== 32) throw new TypeError('an Ed25519 public key must have 32 bytes')
  const id = keyId(publicKey)
  return {
    kty: 'OKP',
    crv: 'Ed25519',
    x: bytesToBase64Url(publicKey),
    kid: id,
    use,
    alg: 'EdDSA',
    key_id: id,
    algorithm: 'Ed25519',
    public_key: bytesToHex(publicKey),
    created_at: createdAt,
    is_active: isActive,
  }
}
