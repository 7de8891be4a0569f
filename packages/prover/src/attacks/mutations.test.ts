import { beforeAll, describe, expect, inject, it } from 'vitest'
import { P } from '../field/baby-bear.ts'
import { DIGEST_BYTES } from '../hash/sha256.ts'
import { riskProgram } from '../risk/air.ts'
import { type Proven, proven } from '../risk/receipt.fixture.ts'
import { BASE_INPUT } from '../risk/risk-inputs.fixture.ts'
import { EXTENSION_BYTES } from '../stark/bytes.ts'
import { openingsOf } from '../stark/proof.fixture.ts'
import { SALT_BYTES } from '../stark/proof.ts'
import { NONCE_BYTES } from '../stark/transcript.ts'
import { type Asked, accepted } from './second-verifier.fixture.ts'

type Region = { name: string; from: number; length: number }

const MUTATIONS_PER_REGION = 110
const BATCH = 250

let honest: Proven
let regions: Region[]

beforeAll(() => {
  honest = proven({
    ...BASE_INPUT,
    counterparty: { kind: 'rated', score: 640, conflict: true, contained: false },
  })
  regions = regionsOf(honest)
})

/** The parts of a proof in the order of their bytes. */
function regionsOf({ proof, journal, journalBytes }: Proven): Region[] {
  const { columns, parameters } = riskProgram()
  const lengths: [string, number][] = [
    ['magic', 4],
    ['trace root', DIGEST_BYTES],
    ['quotient root', DIGEST_BYTES],
    ['current', columns * EXTENSION_BYTES],
    ['next', columns * EXTENSION_BYTES],
    ['segments', parameters.quotientSegments * EXTENSION_BYTES],
    ['layer roots', 2 * DIGEST_BYTES],
    ['final', parameters.finalCoefficients * EXTENSION_BYTES],
    ['nonce', NONCE_BYTES],
  ]
  const { trace, quotient, layers } = openingsOf(proof, journalBytes, journal)
  for (const [i, { salts, leaves, siblings }] of [trace, quotient, ...layers].entries()) {
    if (salts.length > 0) lengths.push([`salts ${i}`, salts.length * SALT_BYTES])
    lengths.push([`leaves ${i}`, leaves.flat().length * 4])
    lengths.push([`siblings ${i}`, siblings.length * DIGEST_BYTES])
  }
  let from = 0
  const found = lengths.map(([name, length]) => {
    from += length
    return { name, from: from - length, length }
  })
  expect(from).toBe(proof.length)
  return found
}

/** A small deterministic generator (Lehmer), so that a run can be repeated by its seed. */
function createDice(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

function changed(at: number, change: (byte: number) => number): Asked {
  const proof = honest.proof.slice()
  proof[at] = change(proof[at] ?? 0)
  return { journalBytes: honest.journalBytes, proof }
}

function acceptedOf(all: readonly Asked[]): number {
  let count = 0
  for (let at = 0; at < all.length; at += BATCH) count += accepted(all.slice(at, at + BATCH))
  return count
}

describe('a proof', () => {
  it('is rejected if any byte is changed, in every part of it', () => {
    const dice = createDice(1 + (inject('seed') % 2_147_483_645))
    const mutations = regions.flatMap(({ from, length }) => {
      const places = Array.from({ length: MUTATIONS_PER_REGION }, () => from + dice(length))
      return [from, from + length - 1, ...places].map((at) =>
        changed(at, (b) => b ^ (1 + dice(255))),
      )
    })
    expect(mutations.length).toBeGreaterThan(2000)
    expect(accepted([honest])).toBe(1)
    expect(acceptedOf(mutations)).toBe(0)
  })

  it('is rejected if an element is not canonical, even if it is congruent', () => {
    const { length } = honest.proof
    const numbers = regions.filter(({ name }) => /current|next|segments|final|leaves/.test(name))
    const mutations = numbers.flatMap(({ from, length: bytes }) => {
      const view = new DataView(honest.proof.buffer)
      for (let at = from; at < from + bytes; at += 4) {
        const element = view.getUint32(at, true)
        if (element + P >= 2 ** 32) continue
        const proof = honest.proof.slice()
        new DataView(proof.buffer).setUint32(at, element + P, true)
        return [{ journalBytes: honest.journalBytes, proof }]
      }
      return []
    })
    expect(mutations.length).toBe(numbers.length)
    expect(mutations.every(({ proof }) => proof.length === length)).toBe(true)
    expect(acceptedOf(mutations)).toBe(0)
  })

  it('is rejected if it is truncated, extended or reordered', () => {
    const { proof, journalBytes } = honest
    const cut = regions.flatMap(({ from, length }) => [from, from + 1, from + length - 1])
    const shortened = cut.map((end) => proof.slice(0, end))
    const longer = [1, 4, 32, 1000].map((extra) => {
      const padded = new Uint8Array(proof.length + extra)
      padded.set(proof)
      return padded
    })
    const doubled = new Uint8Array(2 * proof.length)
    doubled.set(proof)
    doubled.set(proof, proof.length)
    const swapped = regions.slice(1).map(({ from, length }, i) => {
      const before = regions[i] ?? { from: 0, length: 0 }
      const mixed = proof.slice()
      mixed.set(proof.slice(from, from + length), before.from)
      mixed.set(proof.slice(before.from, from), before.from + length)
      return mixed
    })
    const all = [new Uint8Array(), ...shortened, ...longer, doubled, proof.slice(1), ...swapped]
    expect(acceptedOf(all.map((bytes) => ({ journalBytes, proof: bytes })))).toBe(0)
  })

  it('is rejected with a journal in which any byte is changed', () => {
    const { proof, journalBytes } = honest
    const changes = Array.from(journalBytes, (byte, at) => {
      const other = journalBytes.slice()
      other[at] = byte ^ 1
      return { journalBytes: other, proof }
    })
    const spaced = new TextEncoder().encode(`${new TextDecoder().decode(journalBytes)} `)
    const broken = new TextEncoder().encode(`${new TextDecoder().decode(journalBytes)}\n`)
    const forms = [spaced, broken, journalBytes.slice(1), new Uint8Array(), new Uint8Array(5000)]
    const all = [...changes, ...forms.map((bytes) => ({ journalBytes: bytes, proof }))]
    expect(acceptedOf(all)).toBe(0)
  })
})
