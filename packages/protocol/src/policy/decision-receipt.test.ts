import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToBase64, bytesToHex } from '../base/encoding.ts'
import { hashCanonical } from '../crypto/hash.ts'
import { keyId } from '../crypto/keys.ts'
import { ed25519PublicKey, signEd25519 } from '../crypto/signature.ts'
import { batchPayload, createDecisionBatch, decisionLeaf } from './decision-batch.ts'
import {
  assembleDecisionReceipt,
  DECISION_RECEIPT_CONTEXT,
  type DecisionReceipt,
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

const signed = (text: string) => bytesToBase64(signEd25519(text, SEED))

/** As services before batches signed it; such receipts stay valid. */
function signAlone(statement: DecisionStatement): DecisionReceipt {
  const value = signed(decisionPayload(statement))
  return { statement, signature: { algorithm: 'Ed25519', key_id: KEY.key_id, value } }
}

const AT = '2026-03-01T12:00:00.004Z'

function signTogether(statements: readonly DecisionStatement[]): DecisionReceipt[] {
  const leaves = statements.map((statement) => decisionLeaf(decisionPayload(statement)))
  const { head, placeOf } = createDecisionBatch(leaves, AT)
  const signature = signed(batchPayload(head))
  return statements.map((statement, index) =>
    assembleDecisionReceipt(statement, placeOf(index), { keyId: KEY.key_id, signature }),
  )
}

const STATEMENT = decisionStatement(DECIDED)
const OTHERS = ['dec-2', 'dec-3', 'dec-4', 'dec-5'].map((decision_id) =>
  decisionStatement({ ...DECIDED, decision_id }),
)
const [BATCHED = signAlone(STATEMENT)] = signTogether([STATEMENT, ...OTHERS])

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

describe('a statement', () => {
  it('signs one text per decision, whatever else is passed', () => {
    const wider = { ...DECIDED, arguments: { card: '4111' }, reasons: [] }
    expect(decisionPayload(decisionStatement(wider))).toBe(
      `{"@context":"${DECISION_RECEIPT_CONTEXT}","agent_id":"agent-1",` +
        `"arguments_hash":"${DECIDED.arguments_hash}","decided_at":"2026-03-01T12:00:00.000Z",` +
        '"decision":"allow","decision_id":"dec-1","escalation_id":"esc-1","policy_id":"pol-1",' +
        '"policy_version":3,"tool":"mcp__shop__refund","transaction_id":"txn-1"}',
    )
  })
})

describe.each([
  { version: 1, RECEIPT: signAlone(STATEMENT), sign: signAlone },
  {
    version: 2,
    RECEIPT: BATCHED,
    sign: (statement: DecisionStatement) => signTogether([...OTHERS, statement]).at(-1),
  },
])('a receipt of version $version', ({ RECEIPT, sign }) => {
  it('is verified with the published keys alone, also after a JSON round trip', () => {
    fc.assert(
      fc.property(anyDecided, (decided) => {
        const statement = decisionStatement(decided)
        const receipt: unknown = JSON.parse(JSON.stringify(sign(statement)))
        expect(verifyDecisionReceipt(receipt, [KEY])).toMatchObject({ valid: true, statement })
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

  it('never throws for a decision that is nested deeply', () => {
    const decision: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    const receipt = { ...BATCHED, statement: { ...STATEMENT, decision } }
    expect(verifyDecisionReceipt(receipt, [KEY])).toEqual({
      valid: false,
      fault: 'not a receipt: /statement/decision must be a string',
      checks: { form: false, batch: null, signature: null },
    })
  })

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        expect(verifyDecisionReceipt(anything, [KEY])).toMatchObject({ valid: false })
      }),
    )
  })
})

describe('a receipt of version 2', () => {
  it('is valid at every place of a batch of any size', () => {
    fc.assert(
      fc.property(fc.array(anyDecided, { minLength: 1, maxLength: 70 }), (decided) => {
        const receipts = signTogether(decided.map((one) => decisionStatement(one)))
        for (const receipt of receipts) {
          expect(verifyDecisionReceipt(receipt, [KEY]).valid).toBe(true)
          expect(receipt.batch?.size).toBe(receipts.length)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('has an empty path in a batch of one', () => {
    expect(signTogether([STATEMENT])[0]?.batch).toMatchObject({ size: 1, index: 0, path: [] })
  })

  it('signs time, root and size of the batch', () => {
    expect(batchPayload({ at: AT, root: 'ab', size: 3 })).toBe(
      `{"at":"${AT}","root":"ab","size":3,"type":"touchstone.decisions","v":2}`,
    )
  })

  it('says which part fails', () => {
    const checked = (receipt: unknown, keys = [KEY]) => verifyDecisionReceipt(receipt, keys).checks
    expect(checked(BATCHED)).toEqual({ form: true, batch: true, signature: true })
    const statement = { ...BATCHED.statement, decision: 'allow' }
    const changed = { ...BATCHED, statement: { ...statement, tool: 'another' } }
    expect(checked(changed)).toEqual({ form: true, batch: false, signature: true })
    expect(checked(BATCHED, [])).toEqual({ form: true, batch: true, signature: false })
    expect(checked(signAlone(STATEMENT))).toEqual({ form: true, batch: null, signature: true })
    const ofLog = { ...KEY, use: 'log' as const }
    expect(checked(BATCHED, [ofLog])).toEqual({ form: true, batch: true, signature: false })
  })

  it('is invalid for another statement of the same batch', () => {
    const receipts = signTogether([STATEMENT, ...OTHERS])
    for (const [place, receipt] of receipts.entries()) {
      for (const [other, { statement }] of receipts.entries()) {
        const outcome = verifyDecisionReceipt({ ...receipt, statement }, [KEY])
        expect(outcome.valid, `${place} ${other}`).toBe(place === other)
      }
    }
  })

  it('is invalid if any value of the batch is changed', () => {
    const { batch } = BATCHED
    const changes = [
      { at: '2026-03-01T12:00:00.005Z' },
      { root: 'a'.repeat(64) },
      { root: batch?.root.toUpperCase() },
      { size: 4 },
      { size: 6 },
      { index: 1 },
      { path: [] },
      { path: batch?.path.slice(1) },
      { path: batch?.path.toReversed() },
      { path: batch?.path.map(({ hash }) => ({ hash, position: 'left' })) },
      { path: batch?.path.map(({ position }) => ({ hash: 'b'.repeat(64), position })) },
      { note: 'unsigned' },
    ]
    for (const change of changes) {
      const receipt = { ...BATCHED, batch: { ...batch, ...change } }
      const outcome = verifyDecisionReceipt(receipt, [KEY])
      expect(outcome.valid, JSON.stringify(change)).toBe(false)
    }
  })

  it('does not take the signature of version 1 for that of a batch, nor the reverse', () => {
    const alone = signAlone(STATEMENT)
    const { batch: _, ...rest } = BATCHED
    expect(verifyDecisionReceipt({ ...BATCHED, signature: alone.signature }, [KEY]).valid).toBe(
      false,
    )
    expect(verifyDecisionReceipt(rest, [KEY]).valid).toBe(false)
  })

  it('cannot be made of no decision', () => {
    expect(() => createDecisionBatch([], AT)).toThrow(RangeError)
  })
})

describe('the shared receipts', () => {
  const file = new URL('../../../../vectors/policy/decision-receipts.json', import.meta.url)
  const { keys, receipts } = JSON.parse(readFileSync(file, 'utf8'))

  it.each<{ name: string; receipt: unknown; valid: boolean }>(receipts)(
    '$name: valid $valid',
    ({ receipt, valid }) => {
      expect(verifyDecisionReceipt(receipt, keys).valid).toBe(valid)
    },
  )
})
