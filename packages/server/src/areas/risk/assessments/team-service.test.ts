import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toOrgId } from '../../../kernel/ids.ts'
import { cardOf } from './facts.fixture.ts'
import { createFacts } from './facts-service.ts'
import type { LinkedAssessment, LinkedTeam, TeamReputation } from './ports.ts'
import { createTeamService, type TeamDeps, type TeamQuestion } from './team-service.ts'
import { createTeamAssessmentStore } from './team-store.ts'

const clock = testClock('2026-03-10T12:00:00.000Z')
const TEAM: LinkedTeam = { teamId: 'team-1', agentIds: ['b', 'a'], card: null }

let db: Db
let teams: LinkedTeam[]
let told: LinkedAssessment[]
let pairs: unknown[]
let metered: number
let hold: (teamId: string) => boolean
let teamReputation: TeamReputation
let service: ReturnType<typeof createTeamService>

beforeAll(async () => {
  db = (await testDatabase()).db
})

beforeEach(() => {
  clock.set('2026-03-10T12:00:00.000Z')
  teams = [TEAM]
  told = []
  pairs = []
  metered = 0
  hold = () => true
  teamReputation = { count: async (_tx, one) => void told.push(one) }
  service = createService()
})

function createService() {
  const agents: TeamDeps['agents'] = {
    standings: async (agentIds) =>
      agentIds.map((agentId) => ({
        agentId,
        orgId: 'org-1',
        visibility: 'public' as const,
        archived: false,
        contained: false,
        cardVersion: 1,
      })),
    orgsOf: async () => new Map(),
    keep: async (_tx, agentIds) => agentIds.filter((agentId) => agentId !== 'erased'),
  }
  const facts = createFacts({
    clock,
    agents,
    cards: { declared: async (all) => new Map(all.map(({ agentId }) => [agentId, cardOf()])) },
    checkpoints: { conduct: async () => [] },
    scores: { standings: async () => new Map() },
  })
  const count = async () => {
    metered += 1
  }
  return createTeamService(
    {
      db,
      agents,
      coherence: { record: async (_tx, scores) => void pairs.push(...scores) },
      teamReputation: { count: (tx, one) => teamReputation.count(tx, one) },
      meters: { isCapped: async () => false, record: count, recordCapped: count },
      teams: {
        find: async ({ teamId }) => teams.find((team) => team.teamId === teamId),
        findByRoster: async ({ agentIds }) =>
          teams.find((team) => team.agentIds.toSorted().join() === agentIds.toSorted().join()),
        hold: async (_tx, { teamId }) => hold(teamId),
      },
      workers: { reportTeam: () => Promise.reject(new Error('small teams need no worker')) },
    },
    facts,
  )
}

const ask = (changes: Partial<TeamQuestion> = {}) =>
  service.assessTeam({
    orgId: 'org-1',
    teamId: null,
    agentIds: null,
    context: {
      actionType: 'data_access',
      riskTolerance: 'moderate',
      coordinationMode: null,
      teamTask: null,
    },
    ...changes,
  })

const storedCount = async () => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from team_risk_assessment`.execute(db)
  return rows[0]?.count
}

describe('assessments of teams', () => {
  it('take the roster of the team that is named, in its order', async () => {
    const { teamId, agentIds } = await ask({ teamId: 'team-1' })
    expect({ teamId, agentIds }).toEqual({ teamId: 'team-1', agentIds: ['b', 'a'] })
    expect((await ask({ teamId: 'team-1', agentIds: ['a', 'b'] })).agentIds).toEqual(['a', 'b'])
  })

  it('refuse members that are not the roster, and a team that is not there', async () => {
    const refused = { code: 'validation_error' }
    for (const agentIds of [['a', 'c'], ['a', 'b', 'c'], ['a']]) {
      await expect(ask({ teamId: 'team-1', agentIds })).rejects.toMatchObject(refused)
    }
    await expect(ask()).rejects.toMatchObject(refused)
    await expect(ask({ teamId: 'team-2' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('are linked to the team with exactly these members', async () => {
    expect((await ask({ agentIds: ['a', 'b'] })).teamId).toBe('team-1')
    expect((await ask({ agentIds: ['a', 'c'] })).teamId).toBeNull()
    expect(told).toHaveLength(1)
  })

  it('take the card of their team into account', async () => {
    const before = await ask({ teamId: 'team-1' })
    teams = [{ ...TEAM, card: cardOf({ declared: ['speed'] }) }]
    const after = await ask({ teamId: 'team-1' })
    expect(after.result.pillars.coherence).toBeLessThan(before.result.pillars.coherence)
  })

  it('are told with what a reputation is made of, and the coherence of the pairs', async () => {
    const { assessmentId, createdAt, result } = await ask({ teamId: 'team-1' })
    const { coherence, structuralRisk } = result.pillars
    const known = { assessmentId, createdAt, coherence, structuralRisk, level: result.level }
    expect(told).toEqual([{ orgId: 'org-1', teamId: 'team-1', ...known }])
    expect(pairs).toEqual([{ agentA: 'a', agentB: 'b', scoreE4: 10_000 }])
    expect(metered).toBe(1)
  })

  it('are stored with what follows from them or not at all', async () => {
    const before = await storedCount()
    teamReputation = { count: () => Promise.reject(new Error('no')) }
    await expect(ask({ teamId: 'team-1' })).rejects.toThrow('no')
    expect(await storedCount()).toBe(before)
  })

  it('begin again when their team is another meanwhile, and give up when it never rests', async () => {
    const before = await storedCount()
    hold = (teamId) => {
      teams = [{ ...TEAM, agentIds: ['a', 'c'] }]
      hold = () => true
      return teamId !== 'team-1'
    }
    expect(await ask({ teamId: 'team-1' })).toMatchObject({ agentIds: ['a', 'c'] })
    expect(await storedCount()).toBe((before ?? 0) + 1)
    expect(metered).toBe(1)
    hold = () => false
    await expect(ask({ teamId: 'team-1' })).rejects.toMatchObject({ code: 'conflict' })
    expect(told).toHaveLength(1)
  })

  it('are refused when a member was erased meanwhile', async () => {
    await expect(ask({ agentIds: ['a', 'erased'] })).rejects.toMatchObject({ code: 'conflict' })
  })

  it('of an erased organisation go', async () => {
    const { assessmentId } = await ask({ teamId: 'team-1' })
    expect(await service.findTeam(assessmentId)).toBeDefined()
    await transact(db, (tx) => createTeamAssessmentStore(tx).deleteOfOrg(toOrgId('org-1')))
    expect(await service.findTeam(assessmentId)).toBeUndefined()
    expect(await storedCount()).toBe(0)
  })
})
