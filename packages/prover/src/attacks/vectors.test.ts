import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { RiskInput } from '@touchstone/protocol/risk'
import { describe, expect, it } from 'vitest'
import { encodeRiskInputs, witnessCommitment } from '../risk/encoding.ts'
import { journalOf, proven, SALT } from '../risk/receipt.fixture.ts'
import { PROOF_SYSTEM, riskProgramId } from '../risk/receipt.ts'
import type { Registers } from '../risk/registers.ts'
import { BASE_INPUT } from '../risk/risk-inputs.fixture.ts'
import { cheat, cheatAtThePoint, cheatInTheLayers } from './cheat.fixture.ts'
import { type Asked, accepted } from './second-verifier.fixture.ts'

/** Row 5 of the table of vectors, with more violations than are proven individually. */
const BUSY_INPUT: RiskInput = {
  ...BASE_INPUT,
  actionType: 'tool_invocation',
  riskTolerance: 'aggressive',
  analysedCheckpoints: 60,
  reputation: 155,
  components: {
    integrity_ratio: 100,
    compliance: 50,
    drift_stability: 0,
    trace_completeness: 300,
    coherence_compatibility: 750,
  },
  violations: [
    { severity: 'critical', days: 0 },
    { severity: 'critical', days: 3 },
    ...Array.from({ length: 80 }, (_, i) => ({ severity: 'low' as const, days: 90 + i })),
  ],
  amountMinor: null,
  counterparty: { kind: 'rated', score: 640, conflict: true, contained: false },
}

/** A lie of an unchecked prover about the first row. */
function lie(
  said: Partial<ReturnType<typeof journalOf>>,
  registers: Partial<Registers> = {},
  input: RiskInput = BASE_INPUT,
) {
  const witness = encodeRiskInputs(input, SALT)
  const journal = { ...journalOf(BASE_INPUT, witness), ...said }
  return { witness, journal, registers }
}

/** A component of 1023 still fits in ten bits; only the second range claim detects it. */
function outOfRange() {
  const { witness, journal } = lie({})
  const inputs = witness.inputs.map((value, i) => (i === 6 ? 1023 : value))
  const strange = { ...witness, inputs }
  const commitment = { witness_commitment: witnessCommitment(strange) }
  return { witness: strange, journal: { ...journal, ...commitment } }
}

const lower = { score: 4223, own: 4223 }
const CASES: Record<string, () => Asked> = {
  'accepted-row-1': () => proven(BASE_INPUT),
  'accepted-breakers': () => proven(BUSY_INPUT),
  'rejected-score': () => cheat(lie({ score_e4: 4223 }, lower)),
  'rejected-threshold': () => cheat(lie({ level: 'low' }, { scoreLow: 0 })),
  'rejected-range': () => cheat(outOfRange()),
  'rejected-breaker': () => cheat(lie({}, { denied: 0 }, { ...BASE_INPUT, contained: true })),
  'rejected-at-the-point': () => cheatAtThePoint(lie({ score_e4: 4223 }, lower)),
  'rejected-in-the-layers': () => cheatInTheLayers(lie({ score_e4: 4223 }, lower)),
}

function receiptText({ journalBytes, proof }: Asked): string {
  const receipt = {
    ...PROOF_SYSTEM,
    program_id: riskProgramId(),
    formula: 'risk-v1',
    journal: Buffer.from(journalBytes).toString('base64'),
    proof: Buffer.from(proof).toString('base64'),
    proof_url: null,
    proof_sha256: createHash('sha256').update(proof).digest('hex'),
    proof_bytes: proof.length,
    proving_ms: 0,
  }
  return `${JSON.stringify(receipt, null, 2)}\n`
}

describe('the published receipts', () => {
  it.each(Object.entries(CASES))('%s is reproduced byte for byte', async (name, make) => {
    const made = make()
    expect(accepted([made])).toBe(name.startsWith('accepted') ? 1 : 0)
    const path = new URL(`../../../../vectors/proofs/${name}.json`, import.meta.url)
    await expect(receiptText(made)).toMatchFileSnapshot(fileURLToPath(path))
  })
})
