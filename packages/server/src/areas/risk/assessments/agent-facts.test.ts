import type { AlignmentCard } from '@touchstone/protocol/cards'
import { pairCoherence } from '@touchstone/protocol/risk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AgentFacts, counterpartyOf, isKnownTo, subjectOf } from './agent-facts.ts'
import { cardOf, factsOf, NOW } from './facts.fixture.ts'

const DAY_MS = 86_400_000
const holderOf = (agentId: string, { values }: AlignmentCard) => ({
  agentId,
  declared: values.declared,
  conflictsWith: values.conflicts_with ?? [],
})

const aged = (days: number, ms = 0) => [
  { severity: 'low', timestampMs: NOW.getTime() - days * DAY_MS - ms } as const,
]

describe('isKnownTo', () => {
  it.each([
    [
      'true for its own agents, even private and archived',
      { visibility: 'private', archived: true },
      'org-1',
      true,
    ],
    ['true for a public agent of another organisation', {}, 'org-2', true],
    [
      'true for an unlisted agent of another organisation',
      { visibility: 'unlisted' },
      'org-2',
      true,
    ],
    [
      'false for a private agent of another organisation',
      { visibility: 'private' },
      'org-2',
      false,
    ],
    ['false for an archived agent of another organisation', { archived: true }, 'org-2', false],
  ])('is %s', (_name, changes, orgId, known) => {
    expect(isKnownTo(orgId, factsOf(changes as Partial<AgentFacts>))).toBe(known)
  })
})

describe('subjectOf', () => {
  it('has no reputation with 49 checkpoints', () => {
    expect(subjectOf(factsOf({ analysedCheckpoints: 49 }), NOW).reputation).toBeNull()
    expect(subjectOf(factsOf({ analysedCheckpoints: 50 }), NOW).reputation).toBe(756)
  })

  it('has neutral components without checkpoints', () => {
    const { components } = subjectOf(
      factsOf({ analysedCheckpoints: 0, reputation: undefined }),
      NOW,
    )
    expect(new Set(Object.values(components))).toEqual(new Set([500]))
  })

  it('gives the age of violations in whole days, below 180', () => {
    const daysOf = (violations: AgentFacts['violations']) =>
      subjectOf(factsOf({ violations }), NOW).violations.map(({ days }) => days)
    expect(daysOf(aged(1, -1))).toEqual([0])
    expect(daysOf(aged(1))).toEqual([1])
    expect(daysOf(aged(180, -1))).toEqual([179])
    expect(daysOf(aged(180))).toEqual([])
    expect(daysOf(aged(-1))).toEqual([0])
  })
})

describe('counterpartyOf', () => {
  const agent = factsOf({ card: cardOf({ conflicts_with: ['hype'] }) })
  const of = (facts: AgentFacts | undefined) => counterpartyOf(facts, { agent, now: NOW })

  it('is unrated, without conflict or containment, for an unknown agent', () => {
    const nothing = { kind: 'unrated', score: null, conflict: false, contained: false }
    expect(of(undefined)).toEqual(nothing)
  })

  it('conflicts when either card opposes a value that the other declares', () => {
    expect(of(factsOf({ card: cardOf({ declared: ['hype'] }) })).conflict).toBe(true)
    expect(of(factsOf({ card: cardOf({ conflicts_with: ['honesty'] }) })).conflict).toBe(true)
    expect(of(factsOf()).conflict).toBe(false)
    expect(of(factsOf({ card: undefined })).conflict).toBe(false)
    const over = { ...cardOf({ declared: ['hype'] }), expires_at: NOW.toISOString() }
    expect(of(factsOf({ card: over })).conflict).toBe(false)
  })

  it('conflicts if and only if coherence counts conflicts', () => {
    const values = fc.subarray(['w', 'x', 'y', 'z'])
    const card = fc.record({ declared: values, conflicts_with: values }).map(cardOf)
    fc.assert(
      fc.property(card, card, (a, b) => {
        const counted = pairCoherence(holderOf('a', a), holderOf('b', b)).conflicts.length
        const given = { agent: factsOf({ card: a }), now: NOW }
        expect(counterpartyOf(factsOf({ card: b }), given).conflict).toBe(counted > 0)
      }),
    )
  })

  it('is rated for an agent with a reputation', () => {
    expect(of(factsOf({ contained: true }))).toMatchObject({
      kind: 'rated',
      score: 756,
      contained: true,
    })
    expect(of(factsOf({ analysedCheckpoints: 10 }))).toMatchObject({ kind: 'unrated', score: null })
  })
})
