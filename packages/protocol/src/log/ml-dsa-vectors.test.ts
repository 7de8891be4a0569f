import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sampleOf } from '#harness/runs.ts'
import { base64ToBytes } from '../base/encoding.ts'
import { verifyMlDsa44 } from '../crypto/ml-dsa.ts'
import { createNoteKey, parseVkey, writeVkey } from './note-key.ts'
import { verifyByPolicy } from './policy-check.ts'
import { parseTlogPolicy } from './tlog-policy.ts'

/** Signed and judged by OpenSSL 3.5; the checkpoints follow the text of tlog-cosignature. */
const { signatures, policy, checkpoints } = JSON.parse(
  readFileSync(new URL('../../../../vectors/log/ml-dsa-44.json', import.meta.url), 'utf8'),
) as {
  signatures: ({ valid: boolean } & Record<
    'name' | 'public_key' | 'message' | 'signature',
    string
  >)[]
  policy: string
  checkpoints: { name: string; text: string; valid: boolean }[]
}

function bytes(text: string): Uint8Array {
  const decoded = base64ToBytes(text)
  if (decoded === undefined) throw new Error('not base64')
  return decoded
}

function signed(one: { public_key: string; message: string; signature: string }) {
  const { public_key, message, signature } = one
  return {
    publicKey: bytes(public_key),
    message: bytes(message),
    signature: bytes(signature),
  }
}

describe('verifyMlDsa44', () => {
  it.each(signatures)('judges as OpenSSL: $name', (one) => {
    expect(verifyMlDsa44(signed(one))).toBe(one.valid)
  })

  it('rejects every changed byte of a signature', () => {
    const [one] = signatures
    if (one === undefined) throw new Error('no signature')
    const good = signed(one)
    for (const at of sampleOf(Array.from(good.signature.keys()), 100)) {
      const signature = good.signature.map((byte, i) => (i === at ? byte ^ 1 : byte))
      expect(verifyMlDsa44({ ...good, signature })).toBe(false)
    }
  })

  it('rejects keys and signatures of another length', () => {
    const [one] = signatures
    if (one === undefined) throw new Error('no signature')
    const good = signed(one)
    const longer = (part: Uint8Array) => Uint8Array.of(...part, 0)
    expect(verifyMlDsa44({ ...good, signature: longer(good.signature) })).toBe(false)
    expect(verifyMlDsa44({ ...good, publicKey: longer(good.publicKey) })).toBe(false)
    expect(verifyMlDsa44({ ...good, signature: new Uint8Array() })).toBe(false)
  })
})

describe('a cosignature with ML-DSA-44', () => {
  it.each(checkpoints)('counts only if it is about the checkpoint: $name', (one) => {
    const parsed = parseTlogPolicy(policy)
    if (!parsed.ok) throw new Error(parsed.reason)
    expect(verifyByPolicy(one.text, parsed.value).ok).toBe(one.valid)
  })

  it('has keys that are written as vkeys of type 6', () => {
    const [, witness = ''] = policy.split('\n')
    const [, , vkey = ''] = witness.split(' ')
    const key = parseVkey(vkey)
    if (!key.ok) throw new Error(key.reason)
    expect(key.value).toMatchObject({ name: 'w.example', type: 'ml-dsa-44' })
    expect(writeVkey(createNoteKey(key.value))).toBe(vkey)
    const publicKey = new Uint8Array(32)
    expect(() => createNoteKey({ name: 'w', type: 'ml-dsa-44', publicKey })).toThrow('1312 bytes')
  })
})
