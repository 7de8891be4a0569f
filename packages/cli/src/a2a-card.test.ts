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
    expect(withTrust(card, TRUST)).toEqual({
      ...card,
      capabilities: { streaming: true, extensions: [OTHER, ENTRY] },
    })
    expect(withTrust({ name: 'Desk' }, TRUST)).toEqual({
      name: 'Desk',
      capabilities: { extensions: [ENTRY] },
    })
  })

  it('replaces an older entry in its place', () => {
    const once = withTrust({ capabilities: { extensions: [OTHER] } }, { ...TRUST, score: 1 })
    const capabilities = withTrust(once, TRUST)['capabilities']
    expect(capabilities).toEqual({ extensions: [OTHER, ENTRY] })
  })

  it('rejects a document that is not an agent card', () => {
    expect(() => withTrust({ capabilities: [] }, TRUST)).toThrow('capabilities is not an object')
    expect(() => withTrust({ capabilities: { extensions: {} } }, TRUST)).toThrow('is not a list')
  })
})
