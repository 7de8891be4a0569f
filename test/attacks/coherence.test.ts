import { beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_B } from '#harness/scores.ts'
import { CARDS, type TeamWorld, teamWorld } from '#harness/teams.ts'
import { later } from '../../packages/server/src/kernel/clock.ts'

/** A stranger compares a public agent with agents whose values oppose it, to lower its score. */
let w: TeamWorld
let victim: string

beforeAll(async () => {
  w = await teamWorld()
  victim = (await w.newAgents(1, { card: CARDS.a }))[0] ?? ''
  await w.seed(victim, EXAMPLE_B)
  await w.recompute(victim)
})

async function coherence() {
  await w.recompute(victim)
  const { body } = await w.score(victim)
  return body.components.find((one: { key: string }) => one.key === 'coherence_compatibility')
}

const check = (token: string, a: string, b: string) =>
  w.call('POST', '/v1/coherence/check', { agent_a: a, agent_b: b }, token)

const opposed = {
  ...CARDS.b,
  values: { declared: ['secrecy'], conflicts_with: CARDS.a.values.declared },
}

async function readOnlyKey(): Promise<string> {
  const token = await w.t.ownerToken()
  const body = { scopes: ['read'] }
  return (await w.t.call('POST', '/v1/api-keys', { token, body })).body.key
}

describe('the coherence of an agent', () => {
  it('is not changed by the checks of strangers', async () => {
    const before = await coherence()
    expect(before).toMatchObject({ basis: 'default', n: 0 })
    for (let n = 0; n < 3; n += 1) {
      const agentId = `stranger-${n}`
      await w.call('POST', '/v1/agents', { agent_id: agentId, card: opposed }, w.foreign)
      expect((await check(w.foreign, agentId, victim)).status).toBe(200)
    }
    const body = {
      agent_ids: ['stranger-0', 'stranger-1', victim],
      context: { action_type: 'data_access' },
    }
    const assessed = await w.call('POST', '/v1/risk/assess/team', body, w.foreign)
    expect(assessed.status, assessed.text).toBeLessThan(300)
    expect(await coherence()).toEqual(before)
  })

  it('is not changed by organisations that compare it in a team of its own', async () => {
    const [mate = ''] = await w.newAgents(1, { card: CARDS.b })
    await w.newTeam({ agent_ids: [victim, mate] })
    const before = await coherence()
    const body = { agent_ids: [victim, mate], context: { action_type: 'data_access' } }
    const assessed = await w.call('POST', '/v1/risk/assess/team', body, w.foreign)
    expect(assessed.status, assessed.text).toBeLessThan(300)
    expect((await check(w.foreign, victim, mate)).status).toBe(200)
    expect(await coherence()).toEqual(before)
  })

  it('is not diluted by many agents of its own organisation', async () => {
    const agents = await w.newAgents(2, { card: CARDS.b })
    await w.call('POST', '/v1/agents', { agent_id: 'outside', card: opposed }, w.foreign)
    expect((await check(w.key, victim, 'outside')).status).toBe(200)
    const alone = await coherence()
    expect(alone).toMatchObject({ basis: 'measured', n: 1, score: 0 })
    for (const own of agents) expect((await check(w.key, own, victim)).status).toBe(200)
    // Two pairs of 0.5 with weight 0.5 each, and one of 0 with weight 1.
    expect(await coherence()).toMatchObject({ n: 3, score: 250 })
    await w.t.app.kernel.lifecycle.purge(later(w.t.clock.now(), 100 * 86_400_000), () => undefined)
    expect(await coherence()).toMatchObject({ basis: 'default', n: 0 })
  })

  it('is not changed with a key that may only read', async () => {
    const [peer = ''] = await w.newAgents(1, { card: opposed })
    const before = await coherence()
    const key = await readOnlyKey()
    expect((await check(key, peer, victim)).status).toBe(200)
    expect((await w.get(`/v1/orgs/${w.org}/coherence`, key)).status).toBe(200)
    expect(await coherence()).toEqual(before)
    expect((await check(w.key, peer, victim)).status).toBe(200)
    expect(await coherence()).toMatchObject({ basis: 'measured', n: 1 })
  })
})
