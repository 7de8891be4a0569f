import { describe, expect, it } from 'vitest'
import { isProof, proofOf, verifierOf } from './claim.ts'

describe('a claim', () => {
  it('matches the test vector of the specification', () => {
    const proof = 'fe071676381a68038c719e08bd83e092ca0d4bb4c01b869f9779d4c005b27cfd'
    expect(proofOf('ask_demo')).toBe(proof)
    expect(verifierOf(proof)).toBe(
      '550feb6659b6392d232c83112a9103b63a71ba55b8ccce251d0201ce4143ee5f',
    )
    expect(verifierOf(proof.toUpperCase())).toBe(verifierOf(proof))
  })

  it('is 64 hexadecimal digits', () => {
    expect(isProof('a'.repeat(64))).toBe(true)
    for (const text of ['', 'a'.repeat(63), 'a'.repeat(65), 'g'.repeat(64)]) {
      expect(isProof(text)).toBe(false)
    }
  })
})
