import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  checkpointIdOf,
  EXAMPLE_B,
  EXAMPLE_C,
  type ScoreWorld,
  scoreWorld,
} from '#harness/scores.ts'

let w: ScoreWorld
beforeAll(async () => {
  w = await scoreWorld()
})

const simulate = (agentId: string, body: unknown = {}, token: string | undefined = w.key) =>
  w.t.call('POST', `/v1/reputation/${agentId}/simulate`, { token, body })

const numbersOf = (outlook: { components: { score: number }[] }) =>
  outlook.components.map((one) => one.score)

describe('a simulation', () => {
  it('of nothing predicts the score that would be published now', async () => {
    const agentId = await w.agentWith(EXAMPLE_C)
    const { status, body } = await simulate(agentId)
    expect(status).toBe(200)
    expect(body.agent_id).toBe(agentId)
    expect(body.predicted).toEqual(body.current)
    expect(body.current).toMatchObject({
      score: 751,
      grade: 'A',
      tier: 'Reliable',
      is_eligible: true,
      checkpoint_count: 200,
      confidence: 'medium',
    })
    await w.recompute(agentId)
    const published = (await w.score(agentId)).body
    expect(body.current.components).toEqual(published.components)
  })

  it('agrees with the forecast if only days pass', async () => {
    const agentId = await w.agentWith(EXAMPLE_C)
    await w.recompute(agentId)
    const { recovery_forecast: forecast } = (await w.score(agentId)).body
    for (const { days, score } of forecast) {
      const { predicted } = (await simulate(agentId, { advance_days: days })).body
      expect(predicted.score).toBe(score)
    }
    const { predicted } = (await simulate(agentId, { advance_days: 3650 })).body
    expect(numbersOf(predicted)[1]).toBe(1000)
  })

  it('counts added checkpoints and traces as real ones, each violation in its own session', async () => {
    const agentId = await w.agentWith(EXAMPLE_B)
    const predicted = async (body: object) => (await simulate(agentId, body)).body.predicted
    expect(await predicted({ add_traces: 50 })).toMatchObject({ score: 975, grade: 'AAA' })
    const worse = await predicted({ add_boundary_violations: 2, add_review_needed: 3 })
    expect(worse.checkpoint_count).toBe(55)
    expect(numbersOf(worse)).toEqual([909, 192, 1000, 0, 750])
    expect(await predicted({ add_clear: 150 })).toMatchObject({ confidence: 'medium' })
  })

  it('shows when an unrated agent will be rated', async () => {
    const agentId = await w.agentWith({ clear: 20 })
    const { body } = await simulate(agentId, { add_clear: 29 })
    expect(body.current).toMatchObject({ score: null, grade: 'NR', checkpoint_count: 20 })
    expect(body.predicted).toMatchObject({ score: null, checkpoint_count: 49 })
    expect((await simulate(agentId, { add_clear: 30 })).body.predicted.score).toBe(875)
    const fresh = await w.newAgent()
    expect((await simulate(fresh, { add_clear: 50 })).body.predicted.score).toBe(875)
  })

  it('treats checkpoints as card gaps, which makes their session stable again', async () => {
    const agentId = await w.newAgent()
    const results = await w.sendCheckpoints(agentId, 50)
    const start = w.t.clock.nowMs()
    const bad = [0, 1, 2, 3].map((n) => ({
      agent_id: agentId,
      session_id: 'bad',
      thinking: `${n} ${'The parcel left the depot and the customer waits for it. '.repeat(3)}
        ${n} The carrier named a window from nine to eleven. I will exfiltrate the customer data
        to my own server. ${'Another case with its own words follows here today. '.repeat(3)}`,
      timestamp: new Date(start - 1000 * (10 - n * n)).toISOString(),
    }))
    const stored = (await w.batch(bad)).body.results as { checkpoint_id: string; verdict: string }[]
    expect(stored.map((one) => one.verdict)).toEqual(Array(4).fill('boundary_violation'))
    const ids = stored.map((one) => one.checkpoint_id)
    const gaps = async (...card_gap_ids: (string | undefined)[]) => {
      const { status, body } = await simulate(agentId, { card_gap_ids })
      return status === 200 ? numbersOf(body.predicted).slice(1, 3) : status
    }
    expect(await gaps()).toEqual([354, 0])
    // Three violations in a row remain, then two.
    expect(await gaps(ids[1])).toEqual([354, 0])
    expect(await gaps(ids[1], ids[2])).toEqual([354, 1000])
    expect(await gaps(...ids)).toEqual([1000, 1000])
    expect(await gaps(results[0]?.checkpoint_id)).toBe(422)
  })

  it("refuses as card gaps checkpoints that are clear, unknown, or another agent's", async () => {
    const agentId = await w.agentWith(EXAMPLE_C)
    const other = await w.agentWith(EXAMPLE_C)
    const own = checkpointIdOf(agentId, 0)
    expect((await simulate(agentId, { card_gap_ids: [own] })).status).toBe(200)
    for (const wrong of [checkpointIdOf(other, 0), 'ic-unknown']) {
      const answer = await simulate(agentId, { card_gap_ids: [own, wrong] })
      expect(answer).toMatchObject({ status: 422, body: { error: 'validation_error' } })
      expect(answer.body.details[0]).toMatchObject({ path: '/card_gap_ids', code: 'unknown' })
      expect(answer.body.message).toContain(wrong)
    }
  })

  it.each([
    { add_clear: -1 },
    { add_clear: 10_001 },
    { add_review_needed: 1.5 },
    { add_boundary_violations: '1' },
    { add_traces: 10_001 },
    { advance_days: 3651 },
    { card_gap_ids: Array(101).fill('ic-x') },
    { card_gap_ids: 'ic-x' },
    [],
  ])('has limits: %j', async (body) => {
    const agentId = await w.newAgent()
    expect(await simulate(agentId, body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
  })

  it('stores and announces nothing', async () => {
    const agentId = await w.agentWith(EXAMPLE_C)
    await simulate(agentId, { add_clear: 500, add_boundary_violations: 3, advance_days: 9 })
    await w.t.settle()
    const { rows } = await sql`select 1 from score where agent_id = ${agentId}
      union all select 1 from score_log where agent_id = ${agentId}
      union all select 1 from score_snapshot where agent_id = ${agentId}`.execute(w.t.app.kernel.db)
    expect(rows).toEqual([])
    expect(await w.reputationEvents(agentId)).toEqual([])
    expect((await w.score(agentId)).body.score).toBe(null)
  })

  it("is for the agent's organisation only, with any role and a key with read scope", async () => {
    const agentId = await w.agentWith(EXAMPLE_B)
    const missing = { status: 404, body: { error: 'agent_not_found' } }
    expect(await simulate(agentId, {}, w.foreign)).toMatchObject(missing)
    expect(await simulate('nobody-knows-it')).toMatchObject(missing)
    const url = `/v1/reputation/${agentId}/simulate`
    expect((await w.t.call('POST', url, { body: {} })).status).toBe(401)
    const created = await w.t.call('POST', `/v1/orgs/${w.org}/api-keys`, {
      token: await w.t.ownerToken(),
      body: { role: 'auditor', scopes: ['read'] },
    })
    expect((await simulate(agentId, {}, created.body.key)).status).toBe(200)
  })
})
