import { beforeAll, describe, expect, it } from 'vitest'
import { encodeRiskInputs, type RiskWitness, witnessCommitment } from '../risk/encoding.ts'
import { encodeJournal, type RiskJournal } from '../risk/journal.ts'
import { type Proven, proven, SALT } from '../risk/receipt.fixture.ts'
import { INPUTS, member } from '../risk/registers.ts'
import { BASE_INPUT } from '../risk/risk-inputs.fixture.ts'
import { cheat, cheatAtThePoint, cheatInTheLayers, type Lie } from './cheat.fixture.ts'
import { accepted, hasCargo } from './second-verifier.fixture.ts'

let honest: Proven
const lie = (journal: Partial<RiskJournal>, rest: Partial<Lie> = {}): Lie => ({
  witness: honest.witness,
  ...rest,
  journal: { ...honest.journal, ...journal },
})

/** A lie based on inputs that no encoder would produce, but with a matching commitment. */
function strange(change: (witness: RiskWitness) => RiskWitness, rest: Partial<Lie> = {}): Lie {
  const witness = change(honest.witness)
  return { ...lie({ witness_commitment: witnessCommitment(witness) }, rest), witness }
}

function withInput(name: (typeof INPUTS)[number], value: number) {
  const index = INPUTS.indexOf(name)
  return (witness: RiskWitness): RiskWitness => ({
    ...witness,
    inputs: witness.inputs.map((input, i) => (i === index ? value : input)),
  })
}

beforeAll(() => {
  honest = proven(BASE_INPUT)
})

describe('a prover without checks', () => {
  it('is tested against the second verifier if REQUIRE_CARGO is set', () => {
    if (process.env['REQUIRE_CARGO'] === '1') expect(hasCargo).toBe(true)
    expect(accepted([honest])).toBe(1)
  })

  it('can prove a true statement, so the lies below fail because they are lies', () => {
    expect(accepted([cheat(lie({})), cheatInTheLayers(lie({}))])).toBe(2)
  })

  it('cannot prove a different score', () => {
    const score = honest.journal.score_e4
    expect(
      accepted([
        cheat(lie({ score_e4: score - 1 })),
        cheat(lie({ score_e4: score - 1 }, { registers: { score: score - 1 } })),
        cheat(lie({ score_e4: score - 1 }, { registers: { score: score - 1, own: score - 1 } })),
        cheat(lie({ score_e4: 0 }, { registers: { score: 0, own: 0, base: 0, recency: 0 } })),
      ]),
    ).toBe(0)
  })

  it('cannot falsify a rounding, a carry or a sum', () => {
    const lower = honest.journal.score_e4 - 1
    expect(
      accepted([
        cheat(lie({ score_e4: lower }, { registers: { score: lower, own: lower, ownRest: 100 } })),
        cheat(lie({}, { registers: { productCarry: 1 } })),
        cheat(lie({}, { registers: { recencySum: 0, recencyFull: 0, recency: 0 } })),
        cheat(lie({}, { registers: { context: 0 } })),
      ]),
    ).toBe(0)
  })

  it('cannot use a different threshold or level', () => {
    expect(
      accepted([
        cheat(lie({ level: 'low' })),
        cheat(lie({ level: 'low' }, { registers: { scoreLow: 0 } })),
        cheat(lie({}, { registers: { tolerance0: 0, tolerance1: 0, tolerance2: 1 } })),
        cheat(lie({ level: 'high', recommendation: 'review' }, { registers: { scoreMedium: 1 } })),
      ]),
    ).toBe(0)
  })

  it('cannot use inputs out of range', () => {
    expect(
      accepted([
        cheat(strange(withInput('component0', 1001))),
        cheat(strange(withInput('component0', 2_013_265_920))),
        cheat(strange(withInput('actionType', 6))),
        cheat(strange(withInput('riskTolerance', 3))),
        cheat(strange(withInput('checkpoints', 2 ** 24))),
        cheat(strange(withInput('amountLow', 2 ** 24))),
        cheat(strange(withInput('contained', 2))),
        cheat(strange(withInput('foldedRecency', 1_000_001))),
        cheat(strange((w) => ({ ...w, violations: [3 * 256 + 180, ...w.violations.slice(1)] }))),
        cheat(strange((w) => ({ ...w, violations: [5 * 256, ...w.violations.slice(1)] }))),
      ]),
    ).toBe(0)
  })

  it('cannot omit a breaker or its effect', () => {
    const contained = encodeRiskInputs({ ...BASE_INPUT, contained: true }, SALT)
    const commitment = { witness_commitment: witnessCommitment(contained) }
    const critical = encodeRiskInputs(
      { ...BASE_INPUT, violations: [{ severity: 'critical', days: 1 }] },
      SALT,
    )
    const criticalCommitment = { witness_commitment: witnessCommitment(critical) }
    expect(
      accepted([
        cheat({ ...lie(commitment), witness: contained }),
        cheat({
          ...lie(commitment, { registers: { denied: 0, anyBreaker: 0 } }),
          witness: contained,
        }),
        cheat({ ...lie(commitment, { registers: { contained: 0 } }), witness: contained }),
        cheat({
          ...lie(criticalCommitment, { registers: { recentCritical: 0, criticalCount: 0 } }),
          witness: critical,
        }),
        cheat(lie({ circuit_breakers: ['autonomy_limit'] })),
        cheat(lie({ recommendation: 'deny' })),
      ]),
    ).toBe(0)
  })

  it('cannot commit to inputs other than those it computes with', () => {
    const other = encodeRiskInputs({ ...BASE_INPUT, contained: true }, SALT)
    expect(
      accepted([
        cheat(lie({ witness_commitment: witnessCommitment(other) })),
        cheat(lie({}, { registers: { [member('component', 0)]: 1000 } })),
        cheat(lie({}, { registers: { checkpoints: 5000 } })),
      ]),
    ).toBe(0)
  })

  it('cannot lie about the quotient at the challenge point, whatever it folds afterwards', () => {
    const score = honest.journal.score_e4 - 100
    const false_ = lie({ score_e4: score }, { registers: { score, own: score } })
    expect(accepted([cheatAtThePoint(false_), cheatInTheLayers(false_)])).toBe(0)
  })

  it('cannot move a proof to another journal', () => {
    const other = proven({ ...BASE_INPUT, amountMinor: 100 }, 1)
    const changed: Partial<RiskJournal>[] = [
      { assessment_id: 'ra-00000000-0000-4000-8000-000000000002' },
      { inputs_commitment: `sha256:${'1'.repeat(64)}` },
      { as_of: '2026-03-01T12:00:00.001Z' },
      { score_e4: honest.journal.score_e4 + 1 },
      { level: 'low' },
      { recommendation: 'review' },
      { circuit_breakers: ['agent_contained'] },
      { witness_commitment: other.journal.witness_commitment },
    ]
    const journals = changed.map((change) => encodeJournal({ ...honest.journal, ...change }))
    expect(
      accepted([
        ...journals.map((journalBytes) => ({ journalBytes, proof: honest.proof })),
        { journalBytes: honest.journalBytes, proof: other.proof },
        { journalBytes: other.journalBytes, proof: honest.proof },
      ]),
    ).toBe(0)
  })
})
