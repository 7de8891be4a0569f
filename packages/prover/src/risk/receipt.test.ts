import { readdirSync, readFileSync } from 'node:fs'
import { bytesToBase64, bytesToHex } from '@touchstone/protocol/base'
import { ed25519PublicKey, keyId, signEd25519 } from '@touchstone/protocol/crypto'
import { describe, expect, it } from 'vitest'
import { programText } from '../stark/program.ts'
import { riskProgram } from './air.ts'
import { PROOF_SYSTEM, type Receipt, riskProgramId, verifyReceipt } from './receipt.ts'
import { receiptPayload } from './receipt-claims.ts'
import { findReceipt } from './receipt-document.ts'

const FOLDER = new URL('../../../../vectors/proofs/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8')
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))
const good = () => JSON.parse(read('accepted-row-1.json'))

describe('the program of risk-v1', () => {
  it('is the published text, and its hash is the program id', () => {
    expect(programText(riskProgram())).toBe(read('risk-v1.program'))
    expect(good().program_id).toBe(riskProgramId())
  })
})

describe('a receipt', () => {
  it.each(names)('%s is accepted or rejected as its name says', (name) => {
    const verdict = verifyReceipt(JSON.parse(read(name)))
    expect(verdict).toMatchObject({
      valid: name.startsWith('accepted'),
      checks: { program_known: true, journal_well_formed: true },
    })
  })

  it('states what it proves', () => {
    expect(verifyReceipt(good()).journal).toMatchObject({
      formula: 'risk-v1',
      score_e4: 4224,
      level: 'medium',
      recommendation: 'approve',
      circuit_breakers: [],
    })
  })

  it('of an unknown program or formula is rejected', () => {
    const program_id = `sha256:${'0'.repeat(64)}`
    expect(verifyReceipt({ ...good(), program_id })).toMatchObject({
      valid: false,
      checks: { program_known: false, proof_valid: true },
    })
    expect(verifyReceipt({ ...good(), formula: 'risk-v2' }).valid).toBe(false)
  })

  it('is rejected if its proof does not match proof_sha256', () => {
    expect(verifyReceipt({ ...good(), proof_sha256: '0'.repeat(64) })).toMatchObject({
      valid: false,
      checks: { proof_valid: false },
    })
  })

  it('is rejected unless journal and proof are plain base64', () => {
    const { journal, proof } = good()
    for (const change of [{ journal: `${journal}\n` }, { proof: `${proof}=` }, { proof: '*' }]) {
      expect(verifyReceipt({ ...good(), ...change }).valid).toBe(false)
    }
  })

  it('accepts canonical base64 only: unused bits before the padding must be zero', () => {
    const symbols = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const reasonOf = (proof: string) => verifyReceipt({ ...good(), proof }).reason
    for (const symbol of symbols) {
      for (const proof of [`AAAA${symbol}${symbol}==`, `AAAAA${symbol}${symbol}=`]) {
        const isCanonical = Buffer.from(proof, 'base64').toString('base64') === proof
        expect(reasonOf(proof) !== 'the journal or the proof is not valid base64', proof).toBe(
          isCanonical,
        )
      }
    }
    expect(reasonOf('AAA===')).toBe('the journal or the proof is not valid base64')
  })

  it('of several megabytes is rejected without a stack overflow', () => {
    const proof = 'A'.repeat(8 * 1024 * 1024)
    expect(verifyReceipt({ ...good(), proof })).toMatchObject({ valid: false })
    expect(verifyReceipt({ ...good(), proof: `${proof}A` })).toMatchObject({
      valid: false,
      reason: 'the journal or the proof is not valid base64',
    })
  })

  it('with the journal of another receipt is rejected', () => {
    const { journal } = JSON.parse(read('accepted-breakers.json'))
    expect(verifyReceipt({ ...good(), journal })).toMatchObject({
      valid: false,
      checks: { journal_well_formed: true, proof_valid: false },
    })
  })
})

describe('the fields of a receipt that its proof does not cover', () => {
  const seed = new Uint8Array(32).fill(5)
  const publicKey = ed25519PublicKey(seed)
  const keys = [{ key_id: keyId(publicKey), public_key: bytesToHex(publicKey) }]

  function signed(): Required<Receipt> {
    const { program_id, formula, journal, proof, proof_sha256 }: Receipt = good()
    const claims = {
      ...PROOF_SYSTEM,
      program_id,
      formula,
      journal,
      proof_sha256,
      proof_bytes: Buffer.from(proof, 'base64').length,
      proving_ms: 1171,
    }
    const value = bytesToBase64(signEd25519(receiptPayload(claims), seed))
    const signature = { algorithm: 'Ed25519', key_id: keyId(publicKey), value }
    return { ...claims, proof, signature }
  }

  it('are covered by the signature of the service', () => {
    expect(verifyReceipt(signed(), keys)).toMatchObject({
      valid: true,
      reason: null,
      checks: { fields_signed: true },
    })
    expect(verifyReceipt(signed())).toMatchObject({ valid: true, checks: { fields_signed: null } })
    expect(verifyReceipt(good(), keys)).toMatchObject({ checks: { fields_signed: null } })
  })

  it.each([
    { system: 'another-stark' },
    { system_version: '9.9' },
    { proving_ms: 1 },
    { system: undefined },
  ])('cannot be changed to %j', (change) => {
    const changed = { ...signed(), ...change } as Receipt
    expect(verifyReceipt(changed, keys)).toMatchObject({
      valid: false,
      checks: { proof_valid: true, fields_signed: false },
    })
  })

  it.each([{ security_bits: 999 }, { audited: true }, { proof_type: 'snark' }, { proof_bytes: 1 }])(
    'cannot claim %j, even without a signature',
    (change) => {
      expect(verifyReceipt({ ...good(), ...change }).valid).toBe(false)
    },
  )

  it('are refused with a signature of an unknown key', () => {
    expect(verifyReceipt(signed(), [])).toMatchObject({
      valid: false,
      reason: 'the signing key is not among the published keys',
    })
  })

  it('must have their types', () => {
    expect(findReceipt({ receipt: signed() })).toBeDefined()
    for (const change of [
      { security_bits: '100' },
      { signature: 5 },
      { signature: { value: 5 } },
    ]) {
      expect(findReceipt({ ...signed(), ...change })).toBeUndefined()
    }
  })
})
