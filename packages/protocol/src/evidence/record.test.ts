import { describe, expect, it } from 'vitest'
import { hashCanonical, sha256Hex } from '../crypto/hash.ts'
import { defaultSessionId } from '../identifiers/session-id.ts'
import { combinedCommitment, commitInputs, valuesHash } from './commitments.ts'
import {
  attestedProvenance,
  buildRecord,
  certificateId,
  recordHash,
  recordVersion,
} from './record.ts'

const INPUTS = {
  thinking_block_hash: sha256Hex('alpha'),
  output_block_hash: null,
  card_hash: hashCanonical({ a: 1 }),
  values_hash: valuesHash([]),
  context_hash: hashCanonical([]),
  model_version: 'rules-v1',
  template_version: 'cp-1',
}
const PARTS = {
  subject: {
    checkpoint_id: 'ic-00000000-0000-4000-8000-000000000001',
    agent_id: 'agent-demo',
    session_id: 's1',
    card_id: 'ac-1',
  },
  claims: {
    verdict: 'clear',
    concerns: [],
    confidence: 1,
    reasoning_summary: 'ok',
    analyzer: 'rules',
    analysis_model: 'rules-v1',
    analysis_duration_ms: 3,
    synthetic: false,
  },
  inputs: INPUTS,
  timestamp: '2026-03-01T00:00:00.000Z',
}

describe('combinedCommitment', () => {
  it('gives the published commitment', () => {
    expect(combinedCommitment(INPUTS)).toBe(
      '7bd083421e5838e86d0a7e0920756304d6d19d16d1edf64d92c9e0996f9d5db5',
    )
  })

  it('changes with each of its inputs', () => {
    const names = Object.keys(INPUTS)
    const all = names.map((name) => combinedCommitment({ ...INPUTS, [name]: 'other' }))
    expect(new Set([combinedCommitment(INPUTS), ...all]).size).toBe(names.length + 1)
  })

  it('is returned together with exactly its inputs', () => {
    const wide = { ...INPUTS, extra: 1 }
    expect(commitInputs(wide)).toEqual({
      ...INPUTS,
      combined_commitment: combinedCommitment(INPUTS),
    })
  })
})

describe('valuesHash', () => {
  const value = { type: 'BOUNDARY', name: 'a', content: 'b' }

  it('covers only type, name and content, in order', () => {
    const wide = { ...value, mandatory: true }
    expect(valuesHash([wide])).toBe(hashCanonical([value]))
    const other = { ...value, name: 'c' }
    expect(valuesHash([value, other])).not.toBe(valuesHash([other, value]))
  })

  it('of no values is the hash of an empty list', () => {
    expect(valuesHash([])).toBe('4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945')
  })
})

describe('the record', () => {
  it('has the published hash and certificate id', () => {
    const hash = recordHash(buildRecord(PARTS))
    expect(hash).toBe('5072704576cf904292eb029f932a17fe238ac4d816617fca7c87674544d184c5')
    expect(certificateId(hash)).toBe('cert-5072704576cf9042')
  })

  it('of version 1.1.0 has its origin in the hash', () => {
    const origin = { provenance: 'relayed', received_at: PARTS.timestamp, decision_ids: ['dec-1'] }
    const newer = { ...PARTS, subject: { ...PARTS.subject, ...origin } }
    expect(recordVersion(buildRecord(PARTS))).toBe('1.0.0')
    expect(recordVersion(buildRecord(newer))).toBe('1.1.0')
    expect(attestedProvenance(newer.subject)).toBe('relayed')
    expect(attestedProvenance(PARTS.subject)).toBe('reported')
    const hashes = [
      { provenance: 'observed' },
      { received_at: '2026-03-01T00:00:00.001Z' },
      { decision_ids: [] },
      { decision_ids: ['dec-1', 'dec-2'] },
    ].map((other) => recordHash(buildRecord({ ...newer, subject: { ...newer.subject, ...other } })))
    const known = [recordHash(buildRecord(PARTS)), recordHash(buildRecord(newer))]
    expect(new Set([...known, ...hashes]).size).toBe(6)
  })

  it('keeps only the attested fields, whatever else the parts contain', () => {
    const concern = { category: 'c', severity: 'low', description: 'd' }
    const wide = {
      ...PARTS,
      subject: { ...PARTS.subject, org_id: 'org' },
      claims: { ...PARTS.claims, concerns: [{ ...concern, evidence: 'quote' }] },
    }
    const narrow = { ...PARTS, claims: { ...PARTS.claims, concerns: [concern] } }
    expect(buildRecord(wide)).toEqual(buildRecord(narrow))
  })

  it('has a hash over its four parts only, so a whole certificate may be passed', () => {
    const record = buildRecord(PARTS)
    const certificate = { ...record, proofs: {} }
    expect(recordHash(certificate)).toBe(recordHash(record))
  })
})

describe('defaultSessionId', () => {
  it('gives the published id', () => {
    const timestampMs = Date.UTC(2026, 2, 1, 0, 1)
    expect(defaultSessionId('agent-demo', timestampMs)).toBe('sess-fe45a8e1-492312')
  })

  it('changes on the hour', () => {
    const hour = Date.UTC(2026, 2, 1, 1)
    expect(defaultSessionId('a', hour)).not.toBe(defaultSessionId('a', hour - 1))
    expect(defaultSessionId('a', hour)).toBe(defaultSessionId('a', hour + 3_599_999))
  })
})
