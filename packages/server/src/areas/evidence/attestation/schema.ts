import { bytesToBase64, hexToBytes, type PublishedKey } from '@touchstone/protocol'
import { Type } from 'typebox'
import { Nullable } from '../../../http/wire.ts'

const Key = Type.Object({
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  x: Type.String(),
  kid: Type.String(),
  use: Type.Literal('sig'),
  alg: Type.Literal('EdDSA'),
  key_id: Type.String(),
  algorithm: Type.Literal('Ed25519'),
  public_key: Type.String({ description: 'the raw 32 bytes in hex' }),
  whpk: Type.String({ description: 'the same for Standard Webhooks v1a signatures' }),
  created_at: Type.String(),
  is_active: Type.Boolean(),
})

export const KeySet = Type.Object({ keys: Type.Array(Key) })

/** 04 §5.1: webhook receivers know the key by another spelling. */
export function toKeySet(keys: readonly PublishedKey[]) {
  return {
    keys: keys.map((key) => ({
      ...key,
      whpk: `whpk_${bytesToBase64(hexToBytes(key.public_key))}`,
    })),
  }
}

/** The shape of a certificate is told by its verification, place by place. */
export const VerifyBody = Type.Object({
  certificate: Type.Unknown({
    description: 'An integrity certificate, as GET /v1/checkpoints/{id}/certificate gives it.',
  }),
})

const Valid = { valid: Type.Boolean() }

export const Verification = Type.Object({
  valid: Type.Boolean({ description: 'true when every check that is not null passes' }),
  checks: Type.Object({
    signature: Type.Object({ ...Valid, key_id: Type.String() }),
    record: Type.Object({ ...Valid, record_hash: Type.String() }),
    chain: Type.Object({ ...Valid, chain_hash: Type.String() }),
    merkle: Nullable(Type.Object({ ...Valid, root: Type.String() })),
    input_commitment: Type.Object({ ...Valid, commitment: Type.String() }),
    verdict_derivation: Type.Null(),
  }),
  details: Type.String({ description: 'per check: ok or the reason why not, joined by "; "' }),
})
