import { beforeAll, describe, expect, it } from 'vitest'
import { CARD, newCheckpointId, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'

/**
 * The owner of an agent with violations tries to get rid of them: by a new name, a new card, an end and
 * a new start, other times, or by evidence that is sent again.
 */
const DAY_MS = 86_400_000

let w: ScoreWorld
let agentId: string
let owner: string
let before: { score: number; violations: number }

const call = (method: string, path: string, body?: unknown, token = owner) =>
  w.t.call(method, path, { token, ...(body === undefined ? {} : { body }) })

async function standing() {
  await w.recompute(agentId)
  const { body } = await w.score(agentId, { token: w.key })
  const listed = await w.get(`/v1/agents/${agentId}/violations?per_page=1`)
  return { score: body.score, violations: listed.body.total }
}

beforeAll(async () => {
  w = await scoreWorld()
  owner = await w.t.ownerToken()
  agentId = await w.newAgent({ agent_id: 'stained-agent' })
  await w.sendCheckpoints(agentId, 50, (n) => n % 12 === 5)
  await w.sendCheckpoints(agentId, 10, (n) => n === 5)
  before = await standing()
  expect(before.violations).toBe(5)
})

describe('the owner of an agent with violations', () => {
  it.each([
    ['a new name', 'PATCH', '', { name: 'Spotless' }],
    ['a new visibility', 'PATCH', '', { visibility: 'private' }],
    ['the old one', 'PATCH', '', { visibility: 'public' }],
    [
      'a card that allows everything',
      'PUT',
      '/card',
      {
        ...CARD,
        autonomy_envelope: { ...CARD.autonomy_envelope, forbidden_actions: [] },
      },
    ],
    ['another mode', 'PUT', '/enforcement', { mode: 'observe' }],
  ])('changes nothing by %s', async (_, method, path, body) => {
    const answer = await call(method, `/v1/agents/${agentId}${path}`, body)
    expect(answer.status, answer.text).toBe(200)
    expect(await standing()).toEqual(before)
  })

  it('changes nothing by ending and resuming the agent', async () => {
    const control = `/v1/orgs/${w.org}/agents/${agentId}`
    for (const what of ['pause', 'resume', 'kill', 'reactivate']) {
      const answer = await call('POST', `${control}/${what}`, { reason: 'A new start' })
      expect(answer.status, `${what} ${answer.text}`).toBe(200)
    }
    expect(await standing()).toEqual(before)
  })

  it('adds nothing by sending the same checkpoint again, or another under its id', async () => {
    const checkpoint_id = newCheckpointId()
    const body = { checkpoint_id, thinking: textOf(900), session_id: 'again' }
    expect((await w.post(agentId, body)).status).toBe(201)
    const total = async () =>
      (await w.get(`/v1/agents/${agentId}/checkpoints?per_page=1`)).body.total
    const count = await total()
    for (const other of [body, { ...body, thinking: textOf(901) }, { ...body, dry_run: true }]) {
      expect([200, 409]).toContain((await w.post(agentId, other)).status)
    }
    expect(await total()).toBe(count)
    before = await standing()
  })

  it.each([
    ['in the future', 10 * 60_000],
    ['before the window of violations', -91 * DAY_MS],
  ])('cannot claim a time %s', async (_, offset) => {
    const timestamp = new Date(w.t.clock.nowMs() + offset).toISOString()
    const answer = await w.post(agentId, { thinking: textOf(910, VIOLATION), timestamp })
    expect(answer.status).toBe(400)
  })

  it('is not relied on more for records that claim another day', async () => {
    const timestamps = [3, 10, 20, 40].map((days) => w.t.clock.nowMs() - days * DAY_MS)
    const answers = await w.batch(
      timestamps.map((at, n) => ({
        agent_id: agentId,
        thinking: textOf(920 + n),
        timestamp: new Date(at).toISOString(),
      })),
    )
    expect(answers.status).toBe(200)
    await w.recompute(agentId)
    const { body } = await w.score(agentId, { token: w.key })
    expect(body.assurance).toMatchObject({ level: 0, days: 1, span_days: 0 })
    expect(body.assured_score).toBeLessThanOrEqual(599)
  })

  it('gains nothing by a simulation, by trusting others, or by traces of nothing', async () => {
    const target = await w.newAgent({ agent_id: 'spotless-agent' })
    await w.sendCheckpoints(target, 50)
    await w.recompute(target)
    before = await standing()
    await call('POST', `/v1/reputation/${agentId}/simulate`, { add_clear: 10_000 })
    const edge = { target_agent_id: target, trust_level: 'high', reason: 'It is spotless.' }
    const trusted = await call('POST', `/v1/agents/${agentId}/trust-edges`, edge)
    expect(trusted.status, trusted.text).toBeLessThan(300)
    const trace = {
      agent_id: agentId,
      action: { type: 'execute', name: 'exfiltrate_data', category: 'bounded' },
      decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: ['honesty'] },
    }
    for (let n = 0; n < 20; n += 1) await call('POST', '/v1/traces', trace)
    const after = await standing()
    expect(after.score).toBeLessThanOrEqual(before.score)
    expect(after.violations).toBe(before.violations)
  })

  it('cannot begin again under the same name, or one that looks like it', async () => {
    for (const [agent_id, error] of [
      [agentId, 'conflict'],
      [agentId.toUpperCase(), 'conflict'],
      ['stained_agent', 'similar_id'],
    ]) {
      const answer = await call('POST', '/v1/agents', { agent_id, card: CARD })
      expect(answer.status, answer.text).toBe(409)
      if (agent_id === agentId) expect(answer.body.error).toBe(error)
    }
    const erased = await call('POST', `/v1/agents/${agentId}/erase`, { confirm: agentId })
    expect(erased.status, erased.text).toBe(202)
    expect((await call('POST', '/v1/agents', { agent_id: agentId, card: CARD })).status).toBe(409)
    w.t.clock.advance(31 * DAY_MS)
    await w.nextHour()
    owner = await w.t.ownerToken()
    expect((await call('GET', `/v1/agents/${agentId}`)).status).toBe(404)
    const again = await call('POST', '/v1/agents', { agent_id: agentId, card: CARD })
    expect(again.status, again.text).toBe(409)
  })
})
