import { verifyBundle } from '@touchstone/protocol/bundle'
import type { PublishedKey } from '@touchstone/protocol/crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { newCheckpointId, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'

const DAY_MS = 86_400_000

let w: ScoreWorld
let keys: PublishedKey[]
let [accused, truster, second, third, fourth] = ['', '', '', '', '']
let number = 0

beforeAll(async () => {
  w = await scoreWorld()
  keys = (await w.t.call('GET', '/v1/keys')).body.keys
  accused = await w.newAgent({ agent_id: 'accused' })
  truster = await w.newAgent({ agent_id: 'truster' })
  await w.sendCheckpoints(accused, 50)
  await w.sendCheckpoints(truster, 50)
  second = await w.agentWith({ clear: 90, review: 10 }, { agent_id: 'second' })
  third = await w.agentWith({ clear: 70, review: 10 }, { agent_id: 'third' })
  fourth = await w.agentWith({ clear: 70, review: 10 }, { agent_id: 'fourth' })
  const chain = [accused, truster, second, third, fourth]
  for (const [at, agentId] of chain.entries()) {
    await w.recompute(agentId)
    if (at > 0) await trust(agentId, chain[at - 1] ?? '')
  }
  // Trust edges that form a cycle.
  await trust(accused, truster)
})

async function trust(source: string, target: string): Promise<void> {
  const url = `/v1/agents/${source}/trust-edges`
  const body = { target_agent_id: target }
  expect((await w.t.call('POST', url, { token: w.key, body })).status).toBe(201)
}

async function postCheckpoint(said: string, sessionId: string): Promise<string> {
  number += 1
  w.t.clock.advance(60_000 + number * 137)
  const checkpointId = newCheckpointId()
  const body = {
    checkpoint_id: checkpointId,
    thinking: textOf(5000 + number, said),
    session_id: sessionId,
  }
  expect((await w.post(accused, body)).status).toBe(201)
  return checkpointId
}

const reclassify = async (checkpointId: string, body: object) =>
  w.t.call('POST', `/v1/agents/${accused}/reclassify`, {
    token: await w.t.ownerToken(),
    body: { checkpoint_id: checkpointId, reason: 'The card forbade it by mistake.', ...body },
  })

async function amendCard(forbidden: string[]): Promise<string> {
  const body = { card_json: { autonomy_envelope: { forbidden_actions: forbidden } } }
  const url = `/v1/agents/${accused}/card`
  return (await w.t.call('PATCH', url, { token: w.key, body })).body.amendment_ids[0]
}

/** Allows what the card forbade, reclassifies, and forbids it again. */
async function excuse(checkpointId: string): Promise<void> {
  const amendmentId = await amendCard(['share_credentials'])
  const { status } = await reclassify(checkpointId, { card_amendment_id: amendmentId })
  expect(status).toBe(200)
  await amendCard(['share_credentials', 'exfiltrate_data'])
}

async function scoresOf(agentIds: readonly string[]): Promise<number[]> {
  const scores: number[] = []
  for (const agentId of agentIds) scores.push((await w.score(agentId)).body.score)
  return scores
}

async function expectProven(agentId: string): Promise<string[]> {
  const { text } = await w.t.call('GET', `/v1/reputation/${agentId}/bundle`)
  const verification = await verifyBundle(text.split('\n'), keys)
  expect(verification).toMatchObject({ faults: [], ok: true, equal: true })
  expect(verification.recomputed?.score).toBe((await w.score(agentId)).body.score)
  return text.trimEnd().split('\n')
}

const componentsOf = async (agentId: string): Promise<number[]> =>
  (await w.score(agentId)).body.components.map((one: { score: number }) => one.score)

const impactsOf = async () =>
  (await w.get(`/v1/agents/${accused}/reclassifications`)).body.reclassifications.map(
    (one: { score_impact: object }) => one.score_impact,
  )

describe('an appeal', () => {
  let violations: string[] = []
  let scoreBefore = 0
  let neighbours: number[] = []
  let gain = 0

  it("starts from violations that lowered the agent's score", async () => {
    const [clean] = await scoresOf([accused])
    violations = [
      await postCheckpoint(VIOLATION, 'night'),
      await postCheckpoint(VIOLATION, 'night'),
      await postCheckpoint(VIOLATION, 'night'),
    ]
    await w.recompute(accused)
    scoreBefore = (await scoresOf([accused]))[0] ?? 0
    expect(scoreBefore).toBeLessThan((clean ?? 0) - 100)
    const [, compliance, stability] = await componentsOf(accused)
    expect([compliance, stability]).toEqual([expect.closeTo(354, -1), 0])
    neighbours = await scoresOf([truster, second, third, fourth])
  })

  it('amends the card and reclassifies, neither of which changes the score yet', async () => {
    const amendmentId = await amendCard(['share_credentials'])
    for (const checkpointId of violations) {
      const { body } = await reclassify(checkpointId, { card_amendment_id: amendmentId })
      expect(body).toMatchObject({
        new_type: 'card_gap',
        score_impact: { score_before: scoreBefore, score_after: null, recomputation_pending: true },
      })
    }
    expect(await scoresOf([accused])).toEqual([scoreBefore])
    // The published score still verifies against its bundle, and its explanation is unchanged.
    await expectProven(accused)
    const { body } = await w.score(accused)
    expect(body.components[1].factors).toHaveLength(1)
    const reasons = body.reason_codes as { code: string; evidence_ids: string[] }[]
    const recent = reasons.find(({ code }) => code === 'RECENT_VIOLATIONS')
    expect(recent?.evidence_ids).toEqual([...violations].reverse())
  })

  it('raises the score at the next computation and reports how many agents it affected', async () => {
    const { body } = await w.recompute(accused)
    gain = body.score_after - scoreBefore
    expect(gain).toBeGreaterThan(100)
    expect(body).toMatchObject({
      score_before: scoreBefore,
      reclassifications_applied: 3,
      propagation: { agents_affected: 3, max_depth: 3, decay_factor: 0.85 },
    })
    const [integrity, compliance, stability] = await componentsOf(accused)
    expect(integrity).toBeLessThan(1000)
    expect([compliance, stability]).toEqual([1000, 1000])
    const settled = {
      score_before: scoreBefore,
      score_after: body.score_after,
      recomputation_pending: false,
    }
    expect(await impactsOf()).toEqual([settled, settled, settled])
    const { factors } = (await w.score(accused)).body.components[1]
    expect(factors[1]).toBe('3 violations excluded as card gaps')
  })

  it('raises the scores of trusting agents, less with each hop and not beyond three hops', async () => {
    const points = [0.85, 0.7225, 0.614125].map((share) => Math.floor(gain * share + 0.5))
    const after = await scoresOf([truster, second, third, fourth])
    for (const [at, agentId] of [truster, second, third].entries()) {
      const component = (await w.score(agentId)).body.components[4]
      expect(component.score).toBe(Math.min(1000, 750 + (points[at] ?? 0)))
      expect(component.factors.at(-1)).toBe(`Propagated adjustment +${points[at]}`)
    }
    expect(after.slice(0, 3).every((score, at) => score > (neighbours[at] ?? 0))).toBe(true)
    expect(after[3]).toBe(neighbours[3])
  })

  it('writes an outbox event for every agent whose score moved enough', async () => {
    const last = (await w.reputationEvents(accused)).filter(
      ({ type }) => type === 'reputation.score_changed',
    )
    expect(last.at(-1)?.data).toMatchObject({ score_before: scoreBefore })
    const events = (await w.reputationEvents(truster)).filter(
      ({ type }) => type === 'reputation.score_changed',
    )
    const [now] = await scoresOf([truster])
    expect(events.at(-1)?.data).toMatchObject({ score_before: neighbours[0], score_after: now })
  })

  it('leaves scores that anybody can recompute, including adjustments and card gaps', async () => {
    const own = await expectProven(accused)
    const gaps = own.filter((line) => line.includes('"reclassification":"card_gap"'))
    expect(gaps).toHaveLength(3)
    const lines = await expectProven(truster)
    expect(lines.filter((line) => line.includes('"kind":"adjustment"'))).toHaveLength(1)
  })

  it('appears completely in the export, whose hash chain is valid', async () => {
    const url = `/v1/agents/${accused}/compliance-export?format=json`
    const { status, body } = await w.t.call('GET', url, { token: w.key })
    const score = (await w.score(accused)).body.score
    expect([status, body.integrity_chain_valid]).toEqual([200, true])
    expect(body.card_amendments.length).toBeGreaterThan(0)
    expect(body.reclassifications).toHaveLength(3)
    for (const one of body.reclassifications) {
      expect(one.score_impact).toEqual({
        score_before: scoreBefore,
        score_after: score,
        recomputation_pending: false,
      })
      const violation = body.violations.find(
        ({ checkpoint_id }: { checkpoint_id: string }) => checkpoint_id === one.checkpoint_id,
      )
      expect(violation).toMatchObject({
        reclassified_as: 'card_gap',
        counts_against_score: false,
        reclassification_id: one.reclassification_id,
      })
    }
  })

  it('propagates once: the next computation has nothing new to apply', async () => {
    const { body } = await w.recompute(accused)
    expect(body).toMatchObject({
      reclassifications_applied: 3,
      propagation: { agents_affected: 0, max_depth: 0 },
    })
    const text = await w.t.app.kernel.metrics.registry.metrics()
    expect(text).toContain('touchstone_propagation_duration_seconds_count 1')
  })

  it('keeps counting later violations of the session without its card gaps', async () => {
    const stability = async () => {
      await w.recompute(accused)
      await expectProven(accused)
      return (await componentsOf(accused))[2]
    }
    await amendCard(['share_credentials', 'exfiltrate_data'])
    await postCheckpoint(VIOLATION, 'night')
    await postCheckpoint(VIOLATION, 'night')
    // The alert is open since the three card gaps, but only two violations count so far.
    expect(await stability()).toBe(1000)
    const third = await postCheckpoint(VIOLATION, 'night')
    expect(await stability()).toBe(0)
    await reclassify(third, { card_amendment_id: await amendCard(['share_credentials']) })
    expect(await stability()).toBe(1000)
    await amendCard(['share_credentials', 'exfiltrate_data'])
    await postCheckpoint('', 'night')
    await postCheckpoint(VIOLATION, 'night')
    expect(await stability()).toBe(1000)
  })

  it('keeps a behavior gap in the score and clears its pending state', async () => {
    const [before] = await scoresOf([accused])
    const checkpointId = await postCheckpoint(VIOLATION, 'morning')
    await w.recompute(accused)
    const [worse] = await scoresOf([accused])
    expect(worse).toBeLessThan(before ?? 0)
    await reclassify(checkpointId, { new_type: 'behavior_gap' })
    const { body } = await w.recompute(accused)
    expect(body).toMatchObject({
      reclassifications_applied: 4,
      propagation: { agents_affected: 0, max_depth: 0 },
    })
    expect((await impactsOf())[0]).toMatchObject({ recomputation_pending: false })
    await expectProven(accused)
  })

  it('is also applied and propagated by the hourly run', async () => {
    const checkpointId = await postCheckpoint(VIOLATION, 'evening')
    await w.recompute(accused)
    await reclassify(checkpointId, { card_amendment_id: await amendCard(['share_credentials']) })
    const countOf = async () =>
      (
        await sql`select 1 from score_adjustment where agent_id = ${truster}`.execute(
          w.t.app.kernel.db,
        )
      ).rows.length
    const before = await countOf()
    await w.nextHour()
    expect((await impactsOf())[0]).toMatchObject({
      score_after: (await scoresOf([accused]))[0],
      recomputation_pending: false,
    })
    expect(await countOf()).toBe(before + 1)
    await expectProven(truster)
  })

  it('expires: adjustments apply for 90 days and are deleted later', async () => {
    w.t.clock.advance(90 * DAY_MS)
    await w.recompute(truster)
    expect((await w.score(truster)).body.components[4].score).toBe(750)
    await expectProven(truster)
    w.t.clock.advance(31 * DAY_MS)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    const kept = await sql`select 1 from score_adjustment`.execute(w.t.app.kernel.db)
    expect(kept.rows).toHaveLength(0)
  })
})

describe('incremental counts', () => {
  /** One step: a violation, a clear checkpoint, or the reclassification of an earlier violation. */
  async function runStep(step: string, said: string[]): Promise<void> {
    const earlier = step.startsWith('-') ? said[Number(step.slice(1))] : undefined
    if (earlier !== undefined) await excuse(earlier)
    else said.push(await postCheckpoint(step === 'v' ? VIOLATION : '', 'story'))
  }

  it('equal a full recount, whatever is reclassified and in whatever order', async () => {
    await amendCard(['share_credentials', 'exfiltrate_data'])
    const said: string[] = []
    for (const step of 'vvcvvv-0vv-4vcv-5-8vvv-1-3vv'.match(/-\d|[vc]/g) ?? []) {
      await runStep(step, said)
      await w.recompute(accused)
      await expectProven(accused)
    }
    const { body } = await w.get(`/v1/agents/${accused}/violations?status=reclassified&per_page=9`)
    const sessions = body.violations.map((one: { session_id: string }) => one.session_id)
    expect(sessions.filter((id: string) => id === 'story')).toHaveLength(6)
  })
})

describe('concurrent corrections in a trust cycle', () => {
  it('reach each other once, do not deadlock, and all settle', async () => {
    const ring: string[] = []
    for (const name of ['ring-a', 'ring-b', 'ring-c']) {
      const agentId = await w.newAgent({ agent_id: name })
      await w.sendCheckpoints(agentId, 50, (n) => n === 7)
      ring.push(agentId)
    }
    for (const [at, agentId] of ring.entries()) {
      await w.recompute(agentId)
      await trust(agentId, ring[(at + 1) % 3] ?? '')
    }
    const settled = async () => {
      for (const agentId of ring) {
        const [violation] = (await w.get(`/v1/agents/${agentId}/violations`)).body.violations
        const url = `/v1/agents/${agentId}/card`
        const card = { card_json: { autonomy_envelope: { forbidden_actions: [] } } }
        const amended = await w.t.call('PATCH', url, { token: w.key, body: card })
        const body = {
          checkpoint_id: violation.checkpoint_id,
          reason: 'The card forbade it by mistake.',
          card_amendment_id: amended.body.amendment_ids[0],
        }
        const token = await w.t.ownerToken()
        await w.t.call('POST', `/v1/agents/${agentId}/reclassify`, { token, body })
      }
      return Promise.all(ring.map((agentId) => w.recompute(agentId)))
    }
    for (const { status, body } of await settled()) {
      expect(status).toBe(200)
      expect(body).toMatchObject({
        reclassifications_applied: 1,
        propagation: { agents_affected: 2, max_depth: 2 },
      })
    }
    for (const agentId of ring) {
      const lines = await expectProven(agentId)
      expect(lines.filter((line) => line.includes('"kind":"adjustment"'))).toHaveLength(2)
    }
  })
})

describe('an appeal of an agent that is not eligible', () => {
  it('settles without a score and affects no other agent', async () => {
    const agentId = await w.newAgent()
    await trust(truster, agentId)
    const { body: created } = await w.post(agentId, { thinking: textOf(9000, VIOLATION) })
    const body = { checkpoint_id: created.checkpoint.checkpoint_id, reason: 'It was meant.' }
    const url = `/v1/agents/${agentId}/reclassify`
    const done = await w.t.call('POST', url, { token: w.key, body })
    expect(done.body.score_impact).toMatchObject({ score_before: null })
    expect((await w.recompute(agentId)).body).toMatchObject({
      score_before: null,
      score_after: null,
      grade_before: 'NR',
      grade_after: 'NR',
      propagation: { agents_affected: 0, max_depth: 0, decay_factor: 0.85 },
    })
    const { body: list } = await w.get(`/v1/agents/${agentId}/reclassifications`)
    expect(list.reclassifications[0].score_impact).toEqual({
      score_before: null,
      score_after: null,
      recomputation_pending: false,
    })
  })
})

describe('the comments of an appeal', () => {
  it('are erased with the agent', async () => {
    const { db } = w.t.app.kernel
    const token = await w.t.ownerToken()
    const said = { text: 'It was meant.' }
    const [violation] = (await w.get(`/v1/agents/${accused}/violations`)).body.violations
    const url = `/v1/agents/${accused}/violations/${violation.checkpoint_id}/comments`
    expect((await w.t.call('POST', url, { token, body: said })).status).toBe(201)
    const erase = await w.t.call('POST', `/v1/agents/${accused}/erase`, {
      token,
      body: { confirm: accused },
    })
    expect(erase.status).toBe(202)
    w.t.clock.advance(31 * DAY_MS)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    const tables = ['reclassification', 'checkpoint_reclassification', 'violation_comment']
    for (const table of tables) {
      const left = await sql`select 1 from ${sql.table(table)}
        where agent_id = ${accused}`.execute(db)
      expect(left.rows, table).toHaveLength(0)
    }
  })
})
