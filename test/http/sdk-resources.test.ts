import { createTouchstone, type Touchstone } from '@touchstone/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_A, type ScoreWorld, scoreWorld } from '#harness/scores.ts'

let w: ScoreWorld
let touchstone: Touchstone

beforeAll(async () => {
  w = await scoreWorld()
  const baseUrl = await w.t.app.server.listen({ port: 0, host: '127.0.0.1' })
  touchstone = createTouchstone({ baseUrl, token: w.t.first.api_key })
})

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of list) found.push(item)
  return found
}

describe('lists', () => {
  it('give every item once, whatever the size of a page', async () => {
    for (const name of ['one', 'two', 'three', 'four', 'five']) {
      await touchstone.agents.create({ agent_id: `listed-${name}`, name: `Listed ${name}` })
    }
    for (const per_page of [1, 2, 5, 100]) {
      const found = await all(touchstone.agents.list({ q: 'listed', per_page }))
      expect(new Set(found.map(({ agent_id }) => agent_id)).size).toBe(5)
      expect(found).toHaveLength(5)
    }
  })

  it('fetch no further than they are read', async () => {
    for await (const agent of touchstone.agents.list({ q: 'listed', per_page: 2 })) {
      expect(agent.agent_id).toMatch(/^listed-/)
      break
    }
    expect(await all(touchstone.agents.list({ q: 'nobody at all' }))).toEqual([])
  })
})

describe('reputationGate', () => {
  it('compares the score, its low end, or the grade', async () => {
    const agentId = await w.agentWith(EXAMPLE_A)
    await touchstone.reputation.recompute(agentId)
    const { score, grade, conservative_score: low } = await touchstone.reputation.get(agentId)
    if (score === null || low === null || grade === 'NR') throw new Error('unrated')
    expect(low).toBeLessThan(score)
    const pass = (options: Parameters<typeof touchstone.reputation.gate>[0]) =>
      touchstone.reputation.gate(options)(agentId)
    expect(await pass({ minScore: score, minGrade: grade })).toEqual({
      allowed: true,
      agentId,
      score,
      grade,
      reasons: [],
    })
    expect(await pass({ minScore: score, conservative: true })).toMatchObject({
      allowed: false,
      score: low,
      reasons: [`The score is ${low}; at least ${score} is needed.`],
    })
    expect(await pass({ minGrade: 'AAA' })).toMatchObject({ allowed: false })
  })

  it('lets nobody through who has no score, or whom nobody knows', async () => {
    const { agent } = await touchstone.agents.create({ name: 'New here' })
    const gate = touchstone.reputation.gate({ minScore: 0 })
    expect(await gate(agent.agent_id)).toMatchObject({ allowed: false, score: null, grade: 'NR' })
    expect(await gate('agent-nowhere')).toMatchObject({
      allowed: false,
      reasons: ['The agent was not found.'],
    })
  })

  it('says nothing when the service says nothing', async () => {
    const nowhere = createTouchstone({ baseUrl: 'http://127.0.0.1:1', retries: 0 })
    await expect(nowhere.reputation.gate({ minGrade: 'B' })('agent-1')).rejects.toThrow()
  })
})

describe('policies', () => {
  it('are written as YAML or as objects', async () => {
    const { agent } = await touchstone.agents.create({ name: 'Held' })
    const yaml = 'meta: {schema_version: "1.0", name: Held, scope: agent}\nforbidden: []\n'
    expect(await touchstone.policies.put(agent.agent_id, yaml)).toMatchObject({ version: 1 })
    const { meta, forbidden } = await touchstone.policies.get(agent.agent_id)
    const body = { meta, forbidden: [...forbidden, NO_SHELL] }
    expect(await touchstone.policies.put(agent.agent_id, body)).toMatchObject({ version: 2 })
    const resolved = await touchstone.policies.resolved(agent.agent_id)
    expect(resolved.resolved_policy.forbidden).toEqual([NO_SHELL])
    expect(await all(touchstone.policies.history(agent.agent_id))).toHaveLength(2)
  })
})

const NO_SHELL = { pattern: 'shell*', reason: 'No shell', severity: 'critical' } as const
