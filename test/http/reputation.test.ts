import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { holdTransaction } from '#harness/held-transaction.ts'
import {
  checkpointIdOf,
  EXAMPLE_A,
  EXAMPLE_B,
  EXAMPLE_C,
  type ScoreWorld,
  scoreWorld,
} from '#harness/scores.ts'

let w: ScoreWorld
beforeAll(async () => {
  w = await scoreWorld({ BASE_URL: 'https://trust.example', PROVIDER_ID: 'trust-example' })
})

const published = async (evidence: Parameters<ScoreWorld['agentWith']>[0], changes = {}) => {
  const agentId = await w.agentWith(evidence, changes)
  expect((await w.recompute(agentId)).status).toBe(200)
  return agentId
}

type Component = { key: string; score: number; weighted_score: number; factors: string[] }
const numbersOf = (components: Component[]) => components.map((one) => one.score)

describe('the score of an agent', () => {
  it('matches example B: fifty clear checkpoints and nothing else', async () => {
    const agentId = await published(EXAMPLE_B)
    const { status, body } = await w.score(agentId)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      agent_id: agentId,
      score: 875,
      grade: 'AA',
      tier: 'Established',
      is_eligible: true,
      checkpoint_count: 50,
      confidence: 'low',
      trend_30d: 0,
      visibility: 'public',
      computed_at: w.t.clock.now().toISOString(),
      score_interval: { level: 0.95, low: 846, high: 875 },
      conservative_score: 846,
      assurance: {
        level: 0,
        observed_share: 0,
        relayed_share: 0,
        days: 0,
        span_days: 0,
        effective_checkpoints: 0,
        limits: ['SELF_REPORTED', 'SHORT_HISTORY', 'UNCLAIMED', 'UNWITNESSED'],
      },
      assured_score: 599,
      methodology: '2',
      grade_probability: { AAA: 0, AA: 1, A: 0, BBB: 0, BB: 0, B: 0, CCC: 0 },
      recovery_forecast: [7, 14, 28, 56].map((days) => ({ days, score: 875 })),
    })
    expect(body.components).toEqual([
      {
        key: 'integrity_ratio',
        label: 'Integrity Ratio',
        score: 1000,
        weight: 0.4,
        weighted_score: 400,
        basis: 'measured',
        n: 50,
        factors: ['100.0% clear verdicts over 50 analysed checkpoints'],
      },
      {
        key: 'compliance',
        label: 'Compliance',
        score: 1000,
        weight: 0.2,
        weighted_score: 200,
        basis: 'measured',
        n: 0,
        factors: ['No boundary violations in the last 90 days'],
      },
      {
        key: 'drift_stability',
        label: 'Drift Stability',
        score: 1000,
        weight: 0.2,
        weighted_score: 200,
        basis: 'default',
        n: 0,
        factors: ['No session long enough for drift analysis'],
      },
      {
        key: 'trace_completeness',
        label: 'Trace Completeness',
        score: 0,
        weight: 0.1,
        weighted_score: 0,
        basis: 'measured',
        n: 0,
        factors: [
          '0% of expected decisions traced (0/50)',
          'Warning: full integrity without any traced decision',
        ],
      },
      {
        key: 'coherence_compatibility',
        label: 'Coherence Compatibility',
        score: 750,
        weight: 0.1,
        weighted_score: 75,
        basis: 'default',
        n: 0,
        factors: ['No fleet interactions, neutral default'],
      },
    ])
    expect(body.reason_codes).toEqual([
      {
        code: 'MISSING_TRACES',
        component: 'trace_completeness',
        points_lost: 100,
        evidence_ids: [],
      },
      {
        code: 'UNMEASURED_COHERENCE',
        component: 'coherence_compatibility',
        points_lost: 25,
        evidence_ids: [],
      },
    ])
  })

  it('matches example A except for the peers, which count as unknown', async () => {
    const agentId = await published(EXAMPLE_A)
    const { body } = await w.score(agentId)
    expect(body).toMatchObject({ score: 771, grade: 'A', checkpoint_count: 120 })
    expect(numbersOf(body.components)).toEqual([950, 279, 900, 800, 750])
    const weighted = body.components.map((one: Component) => one.weighted_score)
    expect(weighted).toEqual([380, 55.8, 180, 80, 75])
    const factors = body.components.map((one: Component) => one.factors)
    expect(factors).toEqual([
      ['95.0% clear verdicts over 120 analysed checkpoints'],
      ['2 boundary violations in 2 sessions, decayed impact 1.34'],
      ['1 unstable of 10 sessions'],
      ['80% of expected decisions traced (96/120)'],
      ['No fleet interactions, neutral default'],
    ])
    expect(body.score_interval).toEqual({ level: 0.95, low: 706, high: 791 })
    expect(body.recovery_forecast).toEqual([
      { days: 7, score: 808 },
      { days: 14, score: 845 },
      { days: 28, score: 892 },
      { days: 56, score: 913 },
    ])
    const reasons = body.reason_codes.map((one: { code: string; points_lost: number }) => {
      return [one.code, one.points_lost]
    })
    expect(reasons).toEqual([
      ['RECENT_VIOLATIONS', 144.2],
      ['UNMEASURED_COHERENCE', 25],
      ['LOW_INTEGRITY', 20],
      ['UNSTABLE_SESSIONS', 20],
      ['MISSING_TRACES', 20],
    ])
  })

  it('matches example C, before and after one violation is reclassified as a card gap', async () => {
    const { body } = await w.score(await published(EXAMPLE_C))
    expect(body).toMatchObject({ score: 751, grade: 'A', confidence: 'medium' })
    expect(numbersOf(body.components)).toEqual([900, 204, 875, 1000, 750])
    expect(body.score_interval).toMatchObject({ low: 700, high: 774 })
    expect(body.grade_probability).toMatchObject({ BBB: 0.024, A: 0.976, AA: 0 })
    const after = await published({
      ...EXAMPLE_C,
      violations: (EXAMPLE_C.violations ?? []).map((one) => ({
        ...one,
        cardGap: one.sessionId === 'y',
      })),
      sessions: { total: 16, unstableIds: ['x'] },
    })
    const { body: better } = await w.score(after)
    expect(better).toMatchObject({ score: 793, grade: 'A' })
    expect(numbersOf(better.components)).toEqual([900, 354, 938, 1000, 750])
    expect(better.components[1].factors).toEqual([
      '2 boundary violations in 1 sessions, decayed impact 1.00',
      '1 violations excluded as card gaps',
    ])
  })

  it('names at most 20 pieces of evidence of each kind, the newest first', async () => {
    const agentId = await published({
      clear: 60,
      violations: Array.from({ length: 25 }, (_, n) => ({ hours: 60 - n, sessionId: `v${n}` })),
      sessions: { total: 30, unstableIds: Array.from({ length: 23 }, (_, n) => `v${n}`) },
    })
    const { reason_codes: reasons } = (await w.score(agentId)).body
    const idsOf = (code: string): string[] =>
      reasons.find((one: { code: string }) => one.code === code).evidence_ids
    const newest = Array.from({ length: 20 }, (_, n) => checkpointIdOf(agentId, 24 - n))
    expect(idsOf('LOW_INTEGRITY')).toEqual(newest)
    expect(idsOf('RECENT_VIOLATIONS')).toEqual(newest)
    expect(idsOf('UNSTABLE_SESSIONS')).toEqual(Array.from({ length: 20 }, (_, n) => `v${n}`))
  })

  it('omits card gaps from the violations it names, and reports what was excluded', async () => {
    const agentId = await published({
      clear: 58,
      violations: [
        { hours: 1, sessionId: 'a', cardGap: true },
        { hours: 2, sessionId: 'b' },
        { hours: 24 * 90, sessionId: 'c' },
      ],
      excluded: 4,
    })
    const { body } = await w.score(agentId)
    expect(body.components[0].factors).toEqual([
      '95.1% clear verdicts over 61 analysed checkpoints',
      '4 checkpoints excluded by anti-gaming checks',
    ])
    expect(body.components[1].factors).toEqual([
      '1 boundary violations in 1 sessions, decayed impact 0.99',
      '1 violations excluded as card gaps',
    ])
    const [violations] = body.reason_codes
    expect(violations).toMatchObject({
      code: 'RECENT_VIOLATIONS',
      evidence_ids: [checkpointIdOf(agentId, 1)],
    })
  })
})

describe('an agent that is not eligible', () => {
  it('is shown without a score, but with its live count', async () => {
    const agentId = await w.newAgent()
    const createdAt = w.t.clock.now().toISOString()
    w.t.clock.advance(60_000)
    await w.sendCheckpoints(agentId, 2)
    const { status, body } = await w.score(agentId)
    expect(status).toBe(200)
    const empty = (key: string, label: string, weight: number) => ({
      key,
      label,
      weight,
      score: null,
      weighted_score: null,
      basis: null,
      n: null,
      factors: ['Not rated: 2 of 50 analysed checkpoints'],
    })
    expect(body).toEqual({
      agent_id: agentId,
      score: null,
      grade: 'NR',
      tier: 'Not Rated',
      is_eligible: false,
      checkpoint_count: 2,
      confidence: 'insufficient',
      trend_30d: 0,
      visibility: 'public',
      computed_at: createdAt,
      components: [
        empty('integrity_ratio', 'Integrity Ratio', 0.4),
        empty('compliance', 'Compliance', 0.2),
        empty('drift_stability', 'Drift Stability', 0.2),
        empty('trace_completeness', 'Trace Completeness', 0.1),
        empty('coherence_compatibility', 'Coherence Compatibility', 0.1),
      ],
      a2a_trust_extension: {
        provider: 'trust-example',
        score: null,
        grade: 'NR',
        confidence: 'insufficient',
        assurance: null,
        assured_score: null,
        verified_url: `https://trust.example/v1/reputation/${agentId}`,
        badge_url: `https://trust.example/v1/reputation/${agentId}/badge.svg`,
        verify_url: `https://trust.example/v1/reputation/${agentId}/verify`,
        extension_uri: 'urn:touchstone:a2a-trust:v1',
        methodology_url: 'https://trust.example/docs/methodology',
        last_updated: createdAt,
      },
      score_interval: null,
      conservative_score: null,
      assurance: null,
      assured_score: null,
      methodology: '2',
      grade_probability: null,
      reason_codes: null,
      recovery_forecast: null,
      reclassified: { card_gap: 0, of: 0 },
    })
    expect(await w.history(agentId)).toEqual([])
    await w.sendCheckpoints(agentId, 3)
    expect((await w.score(agentId)).body.checkpoint_count).toBe(5)
  })

  it('shows when it was last computed, and still counts live', async () => {
    const agentId = await w.newAgent()
    await w.sendCheckpoints(agentId, 4)
    w.t.clock.advance(60_000)
    const { body } = await w.recompute(agentId)
    const computedAt = w.t.clock.now().toISOString()
    expect(body).toMatchObject({ score_after: null, recomputed_at: computedAt })
    w.t.clock.advance(60_000)
    await w.sendCheckpoints(agentId, 1)
    expect((await w.score(agentId)).body).toMatchObject({
      computed_at: computedAt,
      checkpoint_count: 5,
    })
    expect(await w.history(agentId)).toEqual([])
  })
})

describe('the extension for agent cards', () => {
  it('percent-encodes the agent id in its URLs', async () => {
    const did = 'did:web:trust.example:agents:one'
    await published(EXAMPLE_B, { agent_id: did })
    const { body } = await w.score(did)
    const encoded = 'did%3Aweb%3Atrust.example%3Aagents%3Aone'
    expect(body.agent_id).toBe(did)
    expect(body.a2a_trust_extension).toEqual({
      provider: 'trust-example',
      score: 875,
      grade: 'AA',
      confidence: 'low',
      assurance: 0,
      assured_score: 599,
      verified_url: `https://trust.example/v1/reputation/${encoded}`,
      badge_url: `https://trust.example/v1/reputation/${encoded}/badge.svg`,
      verify_url: `https://trust.example/v1/reputation/${encoded}/verify`,
      extension_uri: 'urn:touchstone:a2a-trust:v1',
      methodology_url: 'https://trust.example/docs/methodology',
      last_updated: body.computed_at,
    })
    expect((await w.badge(did)).text).toContain('875')
  })
})

describe('score and history are visible', () => {
  const see = async (agentId: string, token?: string) => {
    const call = token === undefined ? {} : { token }
    const score = await w.score(agentId, call)
    const history = await w.t.call('GET', `/v1/reputation/${agentId}/history`, call)
    return [score, history].map(({ status, body, headers }) => {
      const outcome = status === 200 ? headers['cache-control'] : body.error
      return `${status} ${outcome}`
    })
  }
  const OPEN = ['200 public, max-age=60', '200 public, max-age=300']
  const OWN = ['200 private, no-store', '200 private, no-store']
  const GONE = ['404 agent_not_found', '404 agent_not_found']

  it('to everybody if public or unlisted', async () => {
    for (const visibility of ['public', 'unlisted']) {
      const agentId = await published(EXAMPLE_B, { visibility })
      expect(await see(agentId)).toEqual(OPEN)
      expect(await see(agentId, w.foreign)).toEqual(OPEN)
      expect(await see(agentId, w.key)).toEqual(OPEN)
    }
  })

  it('only to their own organisation if private, whether or not it is cached', async () => {
    const agentId = await published(EXAMPLE_B, { visibility: 'private' })
    expect(await see(agentId)).toEqual(GONE)
    expect(await see(agentId, w.key)).toEqual(OWN)
    expect(await see(agentId, w.key)).toEqual(OWN)
    expect(await see(agentId, w.foreign)).toEqual(GONE)
    expect(await see(agentId, 'nonsense')).toEqual(GONE)
    expect(await see(agentId)).toEqual(GONE)
    const unknown = await w.score('nobody-knows-it')
    const hidden = await w.score(agentId)
    expect({ ...hidden.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' })
    expect(hidden.headers['cache-control']).toBe(unknown.headers['cache-control'])
  })

  it('to nobody if unknown or archived, including the owner', async () => {
    expect(await see('nobody-knows-it', w.key)).toEqual(GONE)
    const agentId = await published(EXAMPLE_B)
    expect(await see(agentId)).toEqual(OPEN)
    const token = await w.t.ownerToken()
    expect((await w.t.call('DELETE', `/v1/agents/${agentId}`, { token })).status).toBe(204)
    expect(await see(agentId)).toEqual(GONE)
    expect(await see(agentId, w.key)).toEqual(GONE)
    expect(await see(agentId, token)).toEqual(GONE)
  })
})

describe('caches', () => {
  it('get weak ETags, and 304 for one of several tags or for *', async () => {
    const agentId = await published(EXAMPLE_B)
    for (const path of ['', '/history']) {
      const url = `/v1/reputation/${agentId}${path}`
      const { headers } = await w.t.call('GET', url)
      const etag = String(headers['etag'])
      expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/)
      const again = async (wanted: string) =>
        w.t.call('GET', url, { headers: { 'if-none-match': wanted } })
      for (const wanted of [etag, etag.slice(2), `"other", ${etag}`, `W/"x",${etag}`, '*']) {
        const answer = await again(wanted)
        expect([answer.status, answer.text], wanted).toEqual([304, ''])
        expect(answer.headers['etag']).toBe(etag)
        expect(answer.headers['cache-control']).toBe(headers['cache-control'])
      }
      expect((await again('"other"')).status).toBe(200)
    }
  })

  it('get a different ETag for a different score', async () => {
    const agentId = await published(EXAMPLE_B)
    const before = await w.score(agentId)
    await w.seed(agentId, EXAMPLE_A)
    await w.recompute(agentId)
    const etag = String(before.headers['etag'])
    const after = await w.score(agentId, { headers: { 'if-none-match': etag } })
    expect(after.status).toBe(200)
    expect(after.headers['etag']).not.toBe(etag)
  })

  it('of the service are invalidated by a change of visibility, archiving and recomputation', async () => {
    const agentId = await published(EXAMPLE_B)
    const change = (body: object) =>
      w.t.call('PATCH', `/v1/agents/${agentId}`, { token: w.key, body })
    const seen = async () => {
      const { status, body } = await w.score(agentId)
      const { text } = await w.badge(agentId)
      return [status, body.score, body.visibility, /<title>(.*)</.exec(text)?.[1]]
    }
    expect(await seen()).toEqual([200, 875, 'public', 'Touchstone: 875'])
    expect((await change({ visibility: 'unlisted' })).status).toBe(200)
    expect(await seen()).toEqual([200, 875, 'unlisted', 'Touchstone: 875'])
    await change({ visibility: 'private' })
    expect(await seen()).toEqual([404, undefined, undefined, 'Touchstone: Not Rated'])
    await change({ visibility: 'public' })
    expect(await seen()).toEqual([200, 875, 'public', 'Touchstone: 875'])
    await w.seed(agentId, EXAMPLE_A)
    expect(await seen()).toEqual([200, 875, 'public', 'Touchstone: 875'])
    await w.recompute(agentId)
    expect(await seen()).toEqual([200, 771, 'public', 'Touchstone: 771'])
    await w.t.call('DELETE', `/v1/agents/${agentId}`, { token: await w.t.ownerToken() })
    expect(await seen()).toEqual([404, undefined, undefined, 'Touchstone: Not Rated'])
  })
})

describe('an erased agent', () => {
  it('gets no score from a computation that started before the erasure', async () => {
    const agentId = await w.agentWith(EXAMPLE_B)
    const held = await holdTransaction(w.t.databaseUrl, [
      ['select 1 from agent where agent_id = $1 for update', agentId],
      ['delete from score where agent_id = $1', agentId],
      ['delete from agent where agent_id = $1', agentId],
    ])
    const computed = w.recompute(agentId)
    await held.untilBlocking()
    await held.commit()
    await computed
    const left = await sql`select 1 from score where agent_id = ${agentId}`.execute(
      w.t.app.kernel.db,
    )
    expect(left.rows).toEqual([])
  })

  it('loses its scores, their log and its history', async () => {
    const agentId = await published(EXAMPLE_A)
    const token = await w.t.ownerToken()
    const asked = await w.t.call('POST', `/v1/agents/${agentId}/erase`, {
      token,
      body: { confirm: agentId },
    })
    expect(asked.status).toBeLessThan(300)
    const left = async () => {
      const found = await sql<{ rows: number }>`select
        (select count(*) from score where agent_id = ${agentId})
        + (select count(*) from score_log where agent_id = ${agentId})
        + (select count(*) from score_snapshot where agent_id = ${agentId})
        + (select count(*) from trace_tally where agent_id = ${agentId})
        + (select count(*) from directory_entry where agent_id = ${agentId}) as rows
      `.execute(w.t.app.kernel.db)
      return found.rows[0]?.rows
    }
    expect(await left()).toBeGreaterThan(3)
    w.t.clock.advance(31 * 24 * 3_600_000)
    await w.nextHour()
    await w.nextHour()
    expect(await left()).toBe(0)
  })
})
