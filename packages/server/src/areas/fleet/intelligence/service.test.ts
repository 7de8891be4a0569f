import type { AlignmentCard } from '@touchstone/protocol/cards'
import type { PolicyRules } from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { type ModelServer, startModelServer } from '#harness/model-server.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId, toTeamId } from '../../../kernel/ids.ts'
import { createModel } from '../../../model/model-client.ts'
import { createAdviser } from './adviser-client.ts'
import { FORECAST_REPLY, RECOMMENDATION_REPLY, THREE, teamCard } from './intelligence.fixture.ts'
import type { Team } from './ports.ts'
import { createIntelligenceService, type IntelligenceService } from './service.ts'

const clock = testClock()
const PAGE = { page: 1, perPage: 20 }

/** The data behind the ports. */
const cards = new Map<string, AlignmentCard>()
const rosters = new Map<string, string[]>()
const policies = new Map<string, PolicyRules>()
const erased = new Set<string>()
let recorded: { agentA: string; agentB: string; scoreE4: number }[] = []

let db: Db
let server: ModelServer
let byRules: IntelligenceService
let byModel: IntelligenceService
let team: Team
let count = 0

beforeAll(async () => {
  db = (await testDatabase()).db
  server = await startModelServer()
  byRules = serviceWith(undefined)
  const model = createModel({ provider: 'openai', url: server.url, name: 'm-1', key: undefined })
  byModel = serviceWith(createAdviser({ model, onFailure: () => undefined }))
})

function serviceWith(adviser: ReturnType<typeof createAdviser> | undefined) {
  return createIntelligenceService({
    db,
    clock,
    adviser,
    teams: {
      find: async () => undefined,
      membersOf: async (_db, teamId) => rosters.get(teamId) ?? [],
    },
    cards: {
      activeCards: async (_db, agentIds) =>
        agentIds.flatMap((agentId) => {
          const card = cards.get(agentId)
          return card === undefined ? [] : { agentId, card }
        }),
    },
    agents: {
      describe: async (_tx, agentIds) =>
        agentIds.filter((id) => !erased.has(id)).map((agentId) => ({ agentId })),
    },
    policies: { resolved: async ({ agentId }) => policies.get(agentId) },
    pairScores: { record: async (_tx, pairs) => void recorded.push(...pairs) },
  })
}

function newTeam(members: readonly AlignmentCard[], withoutCard: readonly string[] = []): Team {
  count += 1
  for (const card of members) cards.set(card.agent_id, card)
  const teamId = `team-${count}`
  rosters.set(teamId, [...members.map(({ agent_id }) => agent_id), ...withoutCard])
  return { teamId, orgId: 'org-1', name: 'Three', status: 'active' }
}

beforeEach(() => {
  recorded = []
  cards.clear()
  erased.clear()
  policies.clear()
  team = newTeam(THREE, ['agent-z', 'agent-d'])
})

const list = (of: Team, type?: 'forecast') => byRules.list({ teamId: of.teamId, type }, PAGE)

describe('fault lines', () => {
  it('are stored as returned, with the members that have no card', async () => {
    const item = await byRules.findFaultLines(team)
    expect(item).toMatchObject({
      itemId: expect.stringMatching(/^fla-[0-9a-f-]{36}$/),
      producedBy: { kind: 'algorithm' },
      content: { fleetScoreE4: 5233, agentsWithoutCard: ['agent-d', 'agent-z'] },
    })
    expect(item.content.lines).toHaveLength(5)
    expect(await byRules.get(team.teamId, item.itemId)).toEqual(item)
  })

  it('record the score of every pair of members', async () => {
    await byRules.findFaultLines(team)
    expect(recorded).toMatchObject([
      { agentA: 'agent-a', agentB: 'agent-b', scoreE4: 5000 },
      { agentA: 'agent-a', agentB: 'agent-c', scoreE4: 3200 },
      { agentA: 'agent-b', agentB: 'agent-c', scoreE4: 7500 },
    ])
  })

  it('require a member with a card and a team that is not archived', async () => {
    const bare = newTeam([], ['agent-x', 'agent-y'])
    await expect(byRules.findFaultLines(bare)).rejects.toMatchObject({ code: 'validation_error' })
    const archived = { ...team, status: 'archived' } as const
    await expect(byRules.findFaultLines(archived)).rejects.toMatchObject({
      code: 'validation_error',
    })
  })

  it('are rejected if they would be too large', async () => {
    const actions = Array.from({ length: 200 }, (_, at) => `${at} ${'x'.repeat(120)}`)
    const many = Array.from({ length: 40 }, (_, at) => {
      const declared = Array.from({ length: 40 }, (_, own) => `v${at}x${own}`).join(' ')
      const card = teamCard(`agent-${'m'.repeat(60)}-${at}`, { declared, bounded: 'run' })
      return { ...card, autonomy_envelope: { bounded_actions: actions } }
    })
    await expect(byRules.findFaultLines(newTeam(many))).rejects.toMatchObject({
      code: 'validation_error',
    })
  })

  it('are not stored if a member was erased meanwhile', async () => {
    erased.add('agent-b')
    await expect(byRules.findFaultLines(team)).rejects.toMatchObject({ code: 'conflict' })
    expect((await list(team)).total).toBe(0)
  })
})

describe('forecast', () => {
  it('is produced by rules, and says so, without a model', async () => {
    const { itemId: analysisId } = await byRules.findFaultLines(team)
    const item = await byRules.forecast(team, analysisId)
    expect(item).toMatchObject({
      itemId: expect.stringMatching(/^fc-/),
      analysisId,
      producedBy: { kind: 'rules', name: 'touchstone-rules', version: 'rules-1' },
      fallbackReason: null,
      content: { overallRiskLevel: 'critical', confidenceE4: 3600 },
    })
    expect(await byRules.get(team.teamId, item.itemId)).toEqual(item)
  })

  it('is attributed to the model', async () => {
    server.plan({ reply: FORECAST_REPLY })
    const { itemId } = await byModel.findFaultLines(team)
    expect(await byModel.forecast(team, itemId)).toMatchObject({
      producedBy: { kind: 'model', name: 'openai/m-1' },
      fallbackReason: null,
      content: { overallRiskLevel: 'high', confidenceE4: 8000 },
    })
  })

  it('falls back to rules, and says why, when the model gives no forecast', async () => {
    server.plan({ text: 'No.' })
    const { itemId } = await byModel.findFaultLines(team)
    const item = await byModel.forecast(team, itemId)
    expect(item).toMatchObject({
      producedBy: { kind: 'rules' },
      fallbackReason: 'invalid_output',
      content: { overallRiskLevel: 'critical' },
    })
    expect(await byRules.get(team.teamId, item.itemId)).toEqual(item)
  })

  it('does not call the model if there are no fault lines', async () => {
    server.plan({ reply: FORECAST_REPLY })
    const alike = ['p', 'q'].map((id) => teamCard(id, { declared: 'care', bounded: 'run' }))
    const agreeing = newTeam(alike)
    const { itemId } = await byModel.findFaultLines(agreeing)
    expect(await byModel.forecast(agreeing, itemId)).toMatchObject({
      producedBy: { kind: 'rules' },
      fallbackReason: null,
      content: { failureModes: [], overallRiskLevel: 'low' },
    })
    expect(server.questions).toHaveLength(0)
  })

  it('holds no database transaction during the call to the model', async () => {
    const { itemId } = await byModel.findFaultLines(team)
    let idle: unknown
    server.plan({
      reply: FORECAST_REPLY,
      async meanwhile() {
        const { rows } = await sql<{ count: number }>`select count(*) from pg_stat_activity
          where datname = current_database() and state like 'idle in transaction%'`.execute(db)
        idle = rows
      },
    })
    await byModel.forecast(team, itemId)
    expect(idle).toEqual([{ count: 0 }])
  })

  it('requires an analysis of the same team', async () => {
    const { itemId } = await byRules.findFaultLines(team)
    const other = newTeam(THREE)
    await expect(byRules.forecast(other, itemId)).rejects.toMatchObject({
      code: 'validation_error',
    })
    const { itemId: forecastId } = await byRules.forecast(team, itemId)
    const foreign = { ...team, orgId: 'org-2' }
    for (const [of, id] of [
      [team, 'fla-unknown'],
      [team, forecastId],
      [foreign, itemId],
    ] as const) {
      await expect(byRules.forecast(of, id)).rejects.toMatchObject({ code: 'not_found' })
    }
  })
})

describe('recommendPolicy', () => {
  it('uses the latest analysis and its latest forecast', async () => {
    await expect(byRules.recommendPolicy(team)).rejects.toMatchObject({ code: 'validation_error' })
    await byRules.findFaultLines(team)
    const { itemId } = await byRules.findFaultLines(team)
    const first = await byRules.recommendPolicy(team)
    expect(first).toMatchObject({
      analysisId: itemId,
      producedBy: { kind: 'rules' },
      content: {
        riskBefore: 'critical',
        riskAfter: 'high',
        faultLinesResolved: 4,
        validation: { valid: true, errors: [] },
        policy: { defaults: { unmapped_severity: 'critical' } },
      },
    })
    server.plan({ reply: FORECAST_REPLY })
    await byModel.forecast(team, itemId)
    expect((await byRules.recommendPolicy(team)).content).toMatchObject({
      riskBefore: 'critical',
      policy: { defaults: { unmapped_severity: 'high' } },
    })
  })

  it('includes the tools that the policies of the members map', async () => {
    policies.set('agent-a', {
      capability_mappings: {
        web: { tools: ['mcp__web__find', 'mcp__db__delete_records'], card_actions: ['search'] },
        mail: { tools: ['mcp__mail__send'], card_actions: ['mail'] },
      },
      forbidden: [],
      escalation_triggers: [],
      defaults: {},
    })
    await byRules.findFaultLines(team)
    const { policy } = (await byRules.recommendPolicy(team)).content
    expect(policy.capability_mappings).toEqual({
      search: { tools: ['mcp__web__find'], card_actions: ['search'] },
    })
  })

  it('adds the rules of the model to the floor', async () => {
    await byModel.findFaultLines(team)
    server.plan({ reply: RECOMMENDATION_REPLY })
    const { producedBy, content } = await byModel.recommendPolicy(team)
    expect(producedBy).toMatchObject({ kind: 'model', name: 'openai/m-1' })
    expect(content.validation).toEqual({ valid: true, errors: [] })
    expect(content.policy.forbidden).toHaveLength(5)
    expect(content.faultLinesResolved).toBe(1)
  })

  it('falls back to the rules when the policy of the model is invalid', async () => {
    policies.set('agent-a', {
      capability_mappings: { web: { tools: ['mcp__web__find'], card_actions: ['search'] } },
      forbidden: [],
      escalation_triggers: [],
      defaults: {},
    })
    await byModel.findFaultLines(team)
    const forbidden = [{ pattern: '*', reason: 'all', severity: 'high' }]
    const policy = { ...RECOMMENDATION_REPLY.policy, forbidden }
    server.plan({ reply: { ...RECOMMENDATION_REPLY, policy } })
    const { content: expected } = await byRules.recommendPolicy(team)
    expect(await byModel.recommendPolicy(team)).toMatchObject({
      producedBy: { kind: 'rules' },
      fallbackReason: 'invalid_policy',
      content: expected,
    })
  })

  it('requires a member with a card', async () => {
    await byRules.findFaultLines(team)
    cards.clear()
    await expect(byRules.recommendPolicy(team)).rejects.toMatchObject({ code: 'validation_error' })
  })
})

describe('stored items', () => {
  it('are listed by team and type, newest first', async () => {
    const { itemId: analysisId } = await byRules.findFaultLines(team)
    const { itemId: first } = await byRules.forecast(team, analysisId)
    const { itemId: second } = await byRules.forecast(team, analysisId)
    await byRules.findFaultLines(newTeam(THREE))
    const all = await list(team)
    expect(all.items.map(({ itemId }) => itemId)).toEqual([second, first, analysisId])
    expect((await list(team, 'forecast')).total).toBe(2)
    const page = await byRules.list(
      { teamId: team.teamId, type: undefined },
      { page: 2, perPage: 2 },
    )
    expect(page).toMatchObject({ total: 3, items: [{ itemId: analysisId, type: 'fault_lines' }] })
  })

  it('are not found through another team', async () => {
    const { itemId } = await byRules.findFaultLines(team)
    await expect(byRules.get('team-other', itemId)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('are immutable, and purged after a year', async () => {
    const { itemId } = await byRules.findFaultLines(team)
    await expect(sql`update team_insight set org_id = 'x'`.execute(db)).rejects.toThrow()
    await expect(sql`delete from team_insight`.execute(db)).rejects.toThrow()
    const aYear = new Date(clock.nowMs() + 365 * DAY_MS)
    await byRules.purge(aYear)
    expect((await byRules.get(team.teamId, itemId)).itemId).toBe(itemId)
    expect(await byRules.purge(new Date(aYear.getTime() + 1))).toBeGreaterThan(0)
    expect((await list(team)).total).toBe(0)
  })

  it('are erased with the team and with any agent they name', async () => {
    await byRules.findFaultLines(team)
    const other = newTeam(THREE.slice(0, 2))
    await byRules.findFaultLines(other)
    await transact(db, (tx) => byRules.eraseAgent(tx, toAgentId('agent-z')))
    expect((await list(team)).total).toBe(0)
    expect((await list(other)).total).toBe(1)
    await transact(db, (tx) => byRules.eraseTeam(tx, toTeamId(other.teamId)))
    expect((await list(other)).total).toBe(0)
  })
})
