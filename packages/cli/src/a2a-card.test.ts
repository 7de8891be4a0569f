import { generateKeyPairSync } from 'node:crypto'
import { canonicalJson } from '@touchstone/protocol/base'
import { FlattenedSign, flattenedVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { withTrust } from './a2a-card.ts'

const TRUST = {
  extension_uri: 'urn:touchstone:a2a-trust:v1',
  provider: 'touchstone',
  score: 812,
  grade: 'AA',
  verify_url: 'https://trust.example/v1/reputation/a/verify',
}
const ENTRY = {
  uri: 'urn:touchstone:a2a-trust:v1',
  description: expect.any(String),
  required: false,
  params: {
    provider: 'touchstone',
    score: 812,
    grade: 'AA',
    verify_url: 'https://trust.example/v1/reputation/a/verify',
  },
}
const OTHER = { uri: 'https://example.com/ext', required: true }

describe('withTrust', () => {
  it('adds the extension and changes nothing else in the card', () => {
    const card = {
      name: 'Desk',
      capabilities: { streaming: true, extensions: [OTHER] },
      skills: [],
    }
    expect(withTrust(card, TRUST).card).toEqual({
      ...card,
      capabilities: { streaming: true, extensions: [OTHER, ENTRY] },
    })
    expect(withTrust({ name: 'Desk' }, TRUST).card).toEqual({
      name: 'Desk',
      capabilities: { extensions: [ENTRY] },
    })
  })

  it('replaces an older entry in its place', () => {
    const once = withTrust({ capabilities: { extensions: [OTHER] } }, { ...TRUST, score: 1 }).card
    const capabilities = withTrust(once, TRUST).card['capabilities']
    expect(capabilities).toEqual({ extensions: [OTHER, ENTRY] })
  })

  it('removes signatures that no longer match, and keeps those that do', async () => {
    const signed = await sign(withTrust({ name: 'Desk' }, { ...TRUST, score: 1 }).card)
    expect(await isSigned(signed)).toBe(true)
    const same = withTrust(signed, { ...TRUST, score: 1 })
    expect(same).toEqual({ card: signed, signaturesRemoved: 0 })
    const { card, signaturesRemoved } = withTrust(signed, TRUST)
    expect(signaturesRemoved).toBe(1)
    expect(card).not.toHaveProperty('signatures')
    expect(await isSigned({ ...card, signatures: signed['signatures'] })).toBe(false)
    expect(withTrust({ ...signed, signatures: 'none' }, TRUST)).toMatchObject({
      signaturesRemoved: 1,
    })
  })

  it('rejects a document that is not an agent card', () => {
    expect(() => withTrust({ capabilities: [] }, TRUST)).toThrow('capabilities is not an object')
    expect(() => withTrust({ capabilities: { extensions: {} } }, TRUST)).toThrow('is not a list')
  })
})

type Card = Record<string, unknown>

const KEYS = generateKeyPairSync('ed25519')

/** As A2A describes it: a JWS over the canonical JSON of the card without its signatures. */
async function sign(card: Card): Promise<Card> {
  const { protected: header, signature } = await new FlattenedSign(bytesOf(card))
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JOSE', kid: 'key-1' })
    .sign(KEYS.privateKey)
  return { ...card, signatures: [{ protected: header, signature }] }
}

async function isSigned({ signatures, ...card }: Card): Promise<boolean> {
  const [own] = signatures as { protected: string; signature: string }[]
  const payload = Buffer.from(bytesOf(card)).toString('base64url')
  return flattenedVerify({ signature: '', ...own, payload }, KEYS.publicKey).then(
    () => true,
    () => false,
  )
}

function bytesOf(card: Card): Uint8Array {
  return new TextEncoder().encode(canonicalJson(card))
}
