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
  it('return every item once, whatever the page size', async () => {
    for (const name of ['one', 'two', 'three', 'four', 'five']) {
      await touchstone.agents.create({ agent_id: `listed-${name}`, name: `Listed ${name}` })
    }
    for (const per_page of [1, 2, 5, 100]) {
      const found = await all(touchstone.agents.list({ q: 'listed', per_page }))
      expect(new Set(found.map(({ agent_id }) => agent_id)).size).toBe(5)
      expect(found).toHaveLength(5)
    }
  })

  it('fetch no more pages than are read', async () => {
    for await (const agent of touchstone.agents.list({ q: 'listed', per_page: 2 })) {
      expect(agent.agent_id).toMatch(/^listed-/)
      break
    }
    expect(await all(touchstone.agents.list({ q: 'nobody at all' }))).toEqual([])
  })
})

describe('decisions', () => {
  it('are requested in a batch, listed by a cursor, counted and exported', async () => {
    const { agent } = await touchstone.agents.create({ agent_id: 'deciding-agent' })
    const { agent_id } = agent
    await touchstone.policies.put(agent_id, {
      meta: { schema_version: '1.0', name: 'Desk', scope: 'agent' },
      forbidden: [{ pattern: 'shell', reason: 'No shell', severity: 'critical' }],
      escalation_triggers: [{ condition: "tool == 'pay'", action: 'escalate', reason: 'Ask' }],
      defaults: { enforcement_mode: 'enforce' },
    })
    const tools = ['search', 'shell', 'pay', 'search', 'read']
    const { results } = await touchstone.gateway.decideBatch({
      calls: tools.map((tool) => ({ agent_id, tool })),
    })
    expect(results.map(({ status }) => status)).toEqual(tools.map(() => 200))
    const listed = await all(touchstone.decisions.list({ agent_id, limit: 2 }))
    expect(listed.map(({ tool }) => tool).sort()).toEqual([...tools].sort())
    const decision = ['block', 'escalate'] as const
    const refused = await all(touchstone.decisions.list({ agent_id, decision: [...decision] }))
    expect(refused).toHaveLength(2)
    const [one] = listed
    expect(await touchstone.decisions.get(one?.decision_id ?? '')).toEqual({ ...one, log: null })
    const { totals } = await touchstone.decisions.stats({ group_by: 'agent', interval: 'day' })
    expect(totals[agent_id]).toBe(5)
    const exported = await touchstone.decisions.export({ agent_id, format: 'csv' })
    expect((await exported.text()).trim().split('\r\n')).toHaveLength(6)
  })

  it('that wait for a person are listed, and waited for', async () => {
    const pending = await all(touchstone.gateway.escalations({ status: 'pending' }))
    const id = pending[0]?.escalation_id ?? ''
    const startedAt = performance.now()
    const found = await touchstone.gateway.escalation(id, { wait: 1 })
    expect(found.status).toBe('pending')
    expect(performance.now() - startedAt).toBeGreaterThan(900)
  })
})

describe('reputationGate', () => {
  it('compares the assured score, the low end, the score, or the grade', async () => {
    const agentId = await w.agentWith(EXAMPLE_A)
    await touchstone.reputation.recompute(agentId)
    const { score, grade, conservative_score: low } = await touchstone.reputation.get(agentId)
    if (score === null || low === null || grade === 'NR') throw new Error('the agent is not rated')
    expect(low).toBeLessThan(score)
    const pass = (options: Parameters<typeof touchstone.reputation.gate>[0]) =>
      touchstone.reputation.gate(options)(agentId)
    expect(await pass({ minScore: score, minGrade: grade, raw: true, minAssurance: 0 })).toEqual({
      allowed: true,
      agentId,
      score,
      grade,
      assurance: 0,
      reasons: [],
    })
    const capped = 'The score is 599; at least 600 is needed.'
    const level = 'The assurance level is 0 (unverified); at least 1 (recorded) is needed.'
    expect(await pass({ minScore: 599 })).toMatchObject({ allowed: false, reasons: [level] })
    expect(await pass({ minScore: 600 })).toMatchObject({ score: 599, reasons: [capped, level] })
    expect(await pass({ minScore: 599, minAssurance: 0 })).toMatchObject({ allowed: true })
    expect(await pass({ minGrade: 'BBB', minAssurance: 0 })).toMatchObject({ grade: 'BB' })
    const options = { minScore: score, conservative: true, minAssurance: 0 } as const
    expect(await pass(options)).toMatchObject({
      allowed: false,
      score: low,
      reasons: [`The score is ${low}; at least ${score} is needed.`],
    })
    expect(await pass({ minGrade: 'AAA' })).toMatchObject({ allowed: false })
    expect(() => pass({ minScore: 1, raw: true, conservative: true })).toThrow(TypeError)
  })

  it('rejects an agent that is unknown or has no score', async () => {
    const { agent } = await touchstone.agents.create({ name: 'New here' })
    const gate = touchstone.reputation.gate({ minScore: 0 })
    expect(await gate(agent.agent_id)).toMatchObject({ allowed: false, score: null, grade: 'NR' })
    expect(await gate('agent-nowhere')).toMatchObject({
      allowed: false,
      reasons: ['The agent was not found.'],
    })
  })

  it('throws if the service is unreachable', async () => {
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

  it('are learned', async () => {
    const { agent } = await touchstone.agents.create({ name: 'Watched' })
    const learned = await touchstone.policies.learn({ agent_id: agent.agent_id, days: 1 })
    expect(learned).toMatchObject({ agent_id: agent.agent_id, policy: null, rules: [] })
  })
})

const NO_SHELL = { pattern: 'shell*', reason: 'No shell', severity: 'critical' } as const
