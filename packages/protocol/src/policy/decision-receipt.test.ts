import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToBase64, bytesToHex } from '../base/encoding.ts'
import { hashCanonical } from '../crypto/hash.ts'
import { keyId } from '../crypto/keys.ts'
import { ed25519PublicKey, signEd25519 } from '../crypto/signature.ts'
import {
  assembleDecisionReceipt,
  DECISION_RECEIPT_CONTEXT,
  type DecisionStatement,
  decisionPayload,
  decisionStatement,
  verifyDecisionReceipt,
} from './decision-receipt.ts'

const SEED = new Uint8Array(32).fill(7)
const PUBLIC_KEY = ed25519PublicKey(SEED)
const KEY = { key_id: keyId(PUBLIC_KEY), public_key: bytesToHex(PUBLIC_KEY) }

const DECIDED = {
  decision_id: 'dec-1',
  decision: 'allow',
  agent_id: 'agent-1',
  tool: 'mcp__shop__refund',
  arguments_hash: hashCanonical({ order: 1182, amount: 20 }),
  policy_id: 'pol-1',
  policy_version: 3,
  transaction_id: 'txn-1',
  escalation_id: 'esc-1',
  decided_at: '2026-03-01T12:00:00.000Z',
} as const

function sign(statement: DecisionStatement) {
  const signature = bytesToBase64(signEd25519(decisionPayload(statement), SEED))
  return assembleDecisionReceipt(statement, { keyId: KEY.key_id, signature })
}

const RECEIPT = sign(decisionStatement(DECIDED))

const text = fc.string({ unit: 'grapheme', minLength: 1 })
const maybe = fc.option(text, { nil: null })
const anyDecided = fc.record({
  decision_id: text,
  decision: fc.constantFrom('allow', 'warn', 'escalate', 'block'),
  agent_id: text,
  tool: text,
  arguments_hash: maybe,
  policy_id: maybe,
  policy_version: fc.option(fc.nat(), { nil: null }),
  transaction_id: maybe,
  escalation_id: maybe,
  decided_at: text,
})

describe('the receipt of a decision', () => {
  it('signs one text per decision, whatever else is passed', () => {
    const wider = { ...DECIDED, arguments: { card: '4111' }, reasons: [] }
    expect(decisionPayload(decisionStatement(wider))).toBe(
      `{"@context":"${DECISION_RECEIPT_CONTEXT}","agent_id":"agent-1",` +
        `"arguments_hash":"${DECIDED.arguments_hash}","decided_at":"2026-03-01T12:00:00.000Z",` +
        '"decision":"allow","decision_id":"dec-1","escalation_id":"esc-1","policy_id":"pol-1",' +
        '"policy_version":3,"tool":"mcp__shop__refund","transaction_id":"txn-1"}',
    )
  })

  it('is verified with the published keys alone, also after a JSON round trip', () => {
    fc.assert(
      fc.property(anyDecided, (decided) => {
        const statement = decisionStatement(decided)
        const receipt: unknown = JSON.parse(JSON.stringify(sign(statement)))
        expect(verifyDecisionReceipt(receipt, [KEY])).toEqual({ valid: true, statement })
      }),
    )
  })

  it('is invalid if any value is changed', () => {
    const value = fc.oneof(maybe, fc.integer(), fc.boolean(), fc.constant('block'))
    const fields = Object.keys(RECEIPT.statement)
    fc.assert(
      fc.property(fc.constantFrom(...fields), value, (field, other) => {
        fc.pre(Object.entries(RECEIPT.statement).every(([f, v]) => f !== field || v !== other))
        const statement = { ...RECEIPT.statement, [field]: other }
        expect(verifyDecisionReceipt({ ...RECEIPT, statement }, [KEY]).valid).toBe(false)
      }),
    )
  })

  it('is invalid if any character of its signature is changed', () => {
    const { signature } = RECEIPT
    for (const field of ['algorithm', 'key_id', 'value'] as const) {
      for (let at = 0; at < signature[field].length; at += 1) {
        const was = signature[field]
        const changed = `${was.slice(0, at)}${was[at] === 'A' ? 'B' : 'A'}${was.slice(at + 1)}`
        const receipt = { ...RECEIPT, signature: { ...signature, [field]: changed } }
        expect(verifyDecisionReceipt(receipt, [KEY]).valid, `${field} ${at}`).toBe(false)
      }
    }
  })

  it('must have all of its fields and no others', () => {
    for (const field of Object.keys(RECEIPT.statement)) {
      const { [field]: _, ...statement } = { ...RECEIPT.statement } as Record<string, unknown>
      expect(verifyDecisionReceipt({ ...RECEIPT, statement }, [KEY]).valid, field).toBe(false)
    }
    const statement = { ...RECEIPT.statement, note: 'unsigned' }
    expect(verifyDecisionReceipt({ ...RECEIPT, statement }, [KEY]).valid).toBe(false)
    expect(verifyDecisionReceipt({ ...RECEIPT, valid: true }, [KEY]).valid).toBe(false)
  })

  it('needs a key that is published under the id derived from its bytes', () => {
    expect(verifyDecisionReceipt(RECEIPT, []).valid).toBe(false)
    const other = bytesToHex(ed25519PublicKey(new Uint8Array(32).fill(8)))
    expect(verifyDecisionReceipt(RECEIPT, [{ ...KEY, public_key: other }]).valid).toBe(false)
    expect(verifyDecisionReceipt(RECEIPT, [{ ...KEY, public_key: 'no key' }]).valid).toBe(false)
  })

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        expect(verifyDecisionReceipt(anything, [KEY])).toMatchObject({ valid: false })
      }),
    )
  })
})
