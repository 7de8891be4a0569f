import { describe, expect, it } from 'vitest'
import { CARD_A, CARD_B, CARD_C, cardOf } from './cards.fixture.ts'
import { pairE4, pairParts } from './member-pair.ts'
import { risk, scores } from './risk.fixture.ts'
import { committedTeamInputs, inputsCommitment } from './risk-commitment.ts'
import type { CoordinationMode } from './team-game.ts'
import { type TeamMember, type TeamRiskInput, teamRisk } from './team-risk.ts'

const member = (agentId: string, given: Partial<TeamMember>): TeamMember => ({
  ...risk({}),
  card: null,
  violationDates: [],
  ...given,
  agentId,
})

const A = member('a', {
  card: CARD_A,
  analysedCheckpoints: 1200,
  reputation: 903,
  components: scores(950, 1000, 960, 900, 410),
})
const B = member('b', {
  card: CARD_B,
  analysedCheckpoints: 347,
  reputation: 806,
  components: scores(920, 850, 700, 650, 625),
  violations: [{ severity: 'high', days: 10 }],
  violationDates: ['2026-02-19'],
})
const C = member('c', {
  card: CARD_C,
  analysedCheckpoints: 80,
  reputation: 716,
  components: scores(780, 600, 800, 700, 535),
  violations: [
    { severity: 'critical', days: 5 },
    { severity: 'medium', days: 20 },
  ],
  violationDates: ['2026-02-24', '2026-02-09'],
})

const team = (given: Partial<TeamRiskInput> = {}): TeamRiskInput => ({
  actionType: 'multi_agent_coordination',
  riskTolerance: 'moderate',
  mode: null,
  members: [A, B, C],
  teamCard: null,
  ...given,
})

describe('the vector of three agents', () => {
  it.each([
    ['a-b', A, B, [500, 1000, 1000, 750], 7625],
    ['a-c', A, C, [400, 0, 1000, 250], 3525],
    ['b-c', B, C, [750, 0, 1000, 750], 6000],
  ])('%s are exactly as compatible as published', (_, one, other, parts, e4) => {
    const pair = pairParts(one, other)
    expect([
      pair.valueOverlap,
      pair.priorityAlignment,
      pair.behaviouralCorrelation,
      pair.boundaryOverlap,
    ]).toEqual(parts)
    expect(pairE4(pair)).toBe(e4)
    expect(pairParts(other, one)).toEqual(pair)
  })

  type Row = [CoordinationMode | null, number, number, number, string, string, number[]]
  const rows: Row[] = [
    [null, 251194, 588462, 4115, 'high', 'approve_individuals_only', [2284, 2638, 963]],
    ['consensus', 251194, 588462, 4115, 'high', 'approve_individuals_only', [2284, 2638, 963]],
    ['parallel', 125597, 619861, 3801, 'medium', 'approve_team', [2390, 2683, 1126]],
    ['sequential', 84529, 630128, 3699, 'medium', 'approve_team', [2452, 2675, 1174]],
    ['hierarchical', 122562, 620620, 3794, 'medium', 'approve_team', [2355, 2708, 1143]],
  ]
  it.each(rows)('mode %s', (mode, sr, tc, riskE4, level, recommendation, shapley) => {
    const result = teamRisk(team({ mode }))
    expect(result.members.map((own) => own.risk.scoreE4)).toEqual([1572, 3378, 5300])
    expect(result.pillars).toEqual({
      aggregateRisk: 393_541,
      coherence: 487_384,
      structuralRisk: sr,
      teamCoherence: tc,
    })
    expect(result).toMatchObject({ riskE4, level, recommendation, breakers: [] })
    expect(Object.values(result.shapleyE4)).toEqual(shapley)
  })

  it.each([
    [null, 'anti-synergistic', { a: 1050, b: 695, c: 2370 }, 1380],
    ['parallel', 'neutral', { a: 943, b: 650, c: 2208 }, 1424],
  ] as const)('mode %s: synergy, attribution, concentration', (mode, synergy, shares, even) => {
    const result = teamRisk(team({ mode }))
    expect(result.synergy).toBe(synergy)
    expect({ ...result.attributionE4 }).toEqual(shares)
    expect(result.concentrationRiskE4).toBe(even)
  })

  it('has c as the outlier, no clusters, and the divergences of its cards', () => {
    const { outliers, clusters, divergences } = teamRisk(team())
    expect(outliers).toEqual([
      {
        agentId: 'c',
        riskE4: 5300,
        shapleyE4: 963,
        systemicE4: 6385,
        primaryRiskFactors: ['Coherence Compatibility', 'Compliance'],
      },
    ])
    expect(clusters).toEqual([])
    expect(divergences.map(({ value }) => value)).toEqual(['data_hoarding', 'privacy', 'speed'])
  })

  it('is explained in one paragraph', () => {
    expect(teamRisk(team()).explanation).toBe(
      'Team of 3 for multi_agent_coordination (no mode) scored 0.4115 (high); recommendation: approve_individuals_only. Portfolio 0.3935, coherence 0.5126, structural 0.2512. Highest individual risk: c at 0.5300.',
    )
  })

  it('does not depend on the order of the request, unless the mode does', () => {
    const turned = team({ members: [C, A, B] })
    expect(teamRisk(turned)).toEqual(teamRisk(team()))
    const first = teamRisk({ ...turned, mode: 'sequential' }).pillars.structuralRisk
    expect(first).not.toBe(84_529)
  })
})

describe('breakers', () => {
  const [tame, other] = [{ ...A, agentId: 'x' }, A]

  it.each([
    ['member_contained', [{ ...tame, contained: true }, other]],
    ['member_reputation_floor', [{ ...tame, reputation: 199 }, other]],
    [
      'boundary_incompatible',
      [
        { ...tame, card: cardOf('x', { declared: 'care', bounded: 'run', forbidden: 'walk' }) },
        { ...other, card: cardOf('a', { declared: 'care', bounded: 'walk', forbidden: 'run' }) },
      ],
    ],
  ])('%s denies a team that would be approved', (breaker, members) => {
    expect(teamRisk(team({ members: [tame, other] })).recommendation).toBe('approve_team')
    const result = teamRisk(team({ members }))
    expect(result).toMatchObject({
      level: 'critical',
      recommendation: 'deny',
      breakers: [breaker],
    })
    expect(result.riskE4).toBeGreaterThanOrEqual(9000)
    expect(result.explanation).toContain(` Safety rules applied: ${breaker}.`)
  })

  it('a team with a denied member requires review if it would be approved', () => {
    const poor = {
      ...tame,
      reputation: 300,
      components: scores(0, 0, 0, 0, 0),
      violations: [{ severity: 'critical', days: 2 } as const],
    }
    const many = Array.from({ length: 8 }, (_, at) => ({ ...A, agentId: `m${at}` }))
    const result = teamRisk(team({ members: [poor, ...many], mode: 'parallel' }))
    expect(result).toMatchObject({ level: 'low', recommendation: 'review' })
  })
})

describe('clusters', () => {
  it('contain members that are similar, or that fail on the same days', () => {
    const failing = { ...C, agentId: 'd', components: scores(0, 0, 0, 0, 0) }
    const twin = { ...A, agentId: 'e' }
    const { clusters } = teamRisk(team({ members: [A, B, C, failing, twin] }))
    expect(clusters).toEqual([
      {
        clusterId: 'cl-1',
        agentIds: ['a', 'e'],
        internalRiskE4: 1572,
        sharedRiskFactors: ['integrity_ratio', 'coherence_compatibility'],
      },
      {
        clusterId: 'cl-2',
        agentIds: ['c', 'd'],
        internalRiskE4: expect.any(Number),
        sharedRiskFactors: ['coherence_compatibility', 'correlated_violations'],
      },
    ])
  })
})

describe('pairs', () => {
  it('are neutral for a member without a card', () => {
    expect(pairParts({ ...A, card: null }, B)).toMatchObject({
      valueOverlap: 500,
      priorityAlignment: 500,
      boundaryOverlap: 500,
    })
  })

  it('use stated priorities before positions, and no order for a contextual card', () => {
    const ordered = cardOf('a', { declared: 'x y', bounded: 'run' })
    const definitions = { y: { description: 'first of all', priority: 9 } }
    const stated = { ...ordered, values: { ...ordered.values, definitions } }
    const loose = { ...stated, values: { ...stated.values, hierarchy: 'contextual' as const } }
    const alignment = (card: typeof ordered) =>
      pairParts({ card, violationDates: [] }, { card: ordered, violationDates: [] })
        .priorityAlignment
    expect([alignment(ordered), alignment(stated), alignment(loose)]).toEqual([1000, 0, 1000])
  })
})

describe('the commitment to the inputs', () => {
  const parts = {
    assessmentId: 'tra-1',
    asOf: '2026-03-01T12:00:00.000Z',
    merkleRoots: new Map([['a', `sha256:${'0'.repeat(64)}`]]),
    salt: '0'.repeat(64),
  }

  it('contains integers and texts only, members in order of ids, and the requested order', () => {
    const input = team({ members: [C, A, B], teamCard: CARD_A })
    const inputs = committedTeamInputs(input, teamRisk(input), parts)
    expect(inputs).toMatchObject({
      order: ['c', 'a', 'b'],
      pairs: [
        [0, 1, 500, 1000, 1000, 750],
        [0, 2, 400, 0, 1000, 250],
        [1, 2, 750, 0, 1000, 750],
      ],
      mission: [10_000, 7625, 3525],
    })
    expect(inputs.members.map(({ agent_id }) => agent_id)).toEqual(['a', 'b', 'c'])
    expect(inputsCommitment(inputs)).toMatch(/^sha256:[0-9a-f]{64}$/)
  })
})
