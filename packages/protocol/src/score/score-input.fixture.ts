import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { type Violation, violationsInWindow } from './compliance.ts'
import type { Evidence } from './reason-codes.ts'
import type { ScoreInput } from './score-input.ts'

export const NOW_MS = Date.parse('2026-03-01T00:00:00.000Z')
export const HOUR_MS = 3_600_000

export const NO_EVIDENCE: Evidence = {
  nonClearIds: [],
  violationIds: [],
  unstableSessionIds: [],
  lowestPeerIds: [],
  lowNoveltyIds: [],
}

export function readVectors<T>(name: string): T {
  const file = new URL(`../../../../vectors/reputation/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8'))
}

export type WireViolation = { id: string; session_id: string; timestamp: string; card_gap: boolean }

export function toViolation(wire: WireViolation): Violation {
  return {
    sessionId: wire.session_id,
    timestampMs: Date.parse(wire.timestamp),
    cardGap: wire.card_gap,
  }
}

/** Ids of the violations that count, newest first, ties by id. */
export function violationIdsOf(wire: readonly WireViolation[], nowMs: number): string[] {
  const counted = wire.filter((one) => {
    return !one.card_gap && violationsInWindow([toViolation(one)], nowMs).length > 0
  })
  return counted
    .sort((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp) || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id)
}

/** Fifty clear checkpoints and nothing else, with the given changes. */
export function scoreInput(change: Partial<ScoreInput> = {}): ScoreInput {
  return {
    nowMs: NOW_MS,
    checkpoints: { scored: 50, clear: 50, excluded: 0 },
    violations: [],
    sessions: { total: 0, unstable: 0 },
    tracesVerified: 0,
    peers: { count: 0, pairScoreE4Sum: 0 },
    adjustmentE4: 0,
    ...change,
  }
}

/** From shortly after now to well past the 90 days. */
const anyAgeMs = fc.integer({ min: -HOUR_MS, max: 100 * 24 * HOUR_MS })

export const anyViolation: fc.Arbitrary<Violation> = fc.record({
  sessionId: fc.constantFrom('s1', 's2', 's3', 's4', 's5'),
  timestampMs: anyAgeMs.map((age) => NOW_MS - age),
  cardGap: fc.boolean(),
})

const part = (whole: number) => fc.integer({ min: 0, max: whole })

export function anyInput(scored: { min: number; max: number }): fc.Arbitrary<ScoreInput> {
  return fc
    .record({ scored: fc.integer(scored), sessions: part(100), peers: part(20) })
    .chain(({ scored, sessions, peers }) =>
      fc.record({
        nowMs: fc.constant(NOW_MS),
        checkpoints: fc.record({
          scored: fc.constant(scored),
          clear: part(scored),
          excluded: part(100),
        }),
        violations: fc.array(anyViolation, { maxLength: 12 }),
        sessions: fc.record({ total: fc.constant(sessions), unstable: part(sessions) }),
        tracesVerified: part(2 * scored),
        peers: fc.record({ count: fc.constant(peers), pairScoreE4Sum: part(10_000 * peers) }),
        adjustmentE4: fc.integer({ min: -2_000_000, max: 2_000_000 }),
      }),
    )
}

export const anyEligible = anyInput({ min: 50, max: 5000 })
