import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toOrgId } from '../../../kernel/ids.ts'
import { cardOf } from './facts.fixture.ts'
import { createFactsService } from './facts-service.ts'
import type { LinkedAssessment, LinkedTeam, TeamReputation } from './ports.ts'
import { createTeamRiskService, type TeamDeps, type TeamQuestion } from './team-service.ts'
import { createTeamAssessmentStore } from './team-store.ts'

const clock = testClock('2026-03-10T12:00:00.000Z')
const TEAM: LinkedTeam = { teamId: 'team-1', agentIds: ['b', 'a'], card: null }

let db: Db
let teams: LinkedTeam[]
let counted: LinkedAssessment[]
let pairs: unknown[]
let metered: number
let lock: (teamId: string) => boolean
let teamReputation: TeamReputation
let service: ReturnType<typeof createTeamRiskService>

beforeAll(async () => {
  db = (await testDatabase()).db
})

beforeEach(() => {
  clock.set('2026-03-10T12:00:00.000Z')
  teams = [TEAM]
  counted = []
  pairs = []
  metered = 0
  lock = () => true
  teamReputation = { append: async (_tx, one) => void counted.push(one) }
  service = createService()
})

function createService() {
  const agents: TeamDeps['agents'] = {
    listStates: async (agentIds) =>
      agentIds.map((agentId) => ({
        agentId,
        orgId: 'org-1',
        visibility: 'public' as const,
        archived: false,
        contained: false,
        cardVersion: 1,
      })),
    orgsOf: async () => new Map(),
    lockExisting: async (_tx, agentIds) => agentIds.filter((agentId) => agentId !== 'erased'),
  }
  const facts = createFactsService({
    clock,
    agents,
    cards: { declared: async (all) => new Map(all.map(({ agentId }) => [agentId, cardOf()])) },
    checkpoints: { checkpointHistory: async () => [] },
    scores: { currentScores: async () => new Map() },
  })
  const count = async () => {
    metered += 1
  }
  return createTeamRiskService(
    {
      db,
      agents,
      coherence: { record: async (_tx, scores) => void pairs.push(...scores) },
      teamReputation: { append: (tx, one) => teamReputation.append(tx, one) },
      meters: { isCapped: async () => false, record: count, recordCapped: count },
      teams: {
        find: async ({ teamId }) => teams.find((team) => team.teamId === teamId),
        findByRoster: async ({ agentIds }) =>
          teams.find((team) => team.agentIds.toSorted().join() === agentIds.toSorted().join()),
        lock: async (_tx, { teamId }) => lock(teamId),
      },
      workers: { reportTeam: () => Promise.reject(new Error('small teams need no worker')) },
    },
    facts,
  )
}

const ask = (changes: Partial<TeamQuestion> = {}) =>
  service.assess({
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

describe('team assessment', () => {
  it('uses the roster of the named team, in its order unless the request has one', async () => {
    const { teamId, agentIds } = await ask({ teamId: 'team-1' })
    expect({ teamId, agentIds }).toEqual({ teamId: 'team-1', agentIds: ['b', 'a'] })
    expect((await ask({ teamId: 'team-1', agentIds: ['a', 'b'] })).agentIds).toEqual(['a', 'b'])
  })

  it('rejects members that differ from the roster, and an unknown team', async () => {
    const refused = { code: 'validation_error' }
    for (const agentIds of [['a', 'c'], ['a', 'b', 'c'], ['a']]) {
      await expect(ask({ teamId: 'team-1', agentIds })).rejects.toMatchObject(refused)
    }
    await expect(ask()).rejects.toMatchObject(refused)
    await expect(ask({ teamId: 'team-2' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is linked to the team with exactly these members', async () => {
    expect((await ask({ agentIds: ['a', 'b'] })).teamId).toBe('team-1')
    expect((await ask({ agentIds: ['a', 'c'] })).teamId).toBeNull()
    expect(counted).toHaveLength(1)
  })

  it('takes the card of the team into account', async () => {
    const before = await ask({ teamId: 'team-1' })
    teams = [{ ...TEAM, card: cardOf({ declared: ['speed'] }) }]
    const after = await ask({ teamId: 'team-1' })
    expect(after.result.pillars.coherence).toBeLessThan(before.result.pillars.coherence)
  })

  it('passes its result to team reputation and its pair scores to coherence', async () => {
    const { assessmentId, createdAt, result } = await ask({ teamId: 'team-1' })
    const { coherence, structuralRisk } = result.pillars
    const known = { assessmentId, createdAt, coherence, structuralRisk, level: result.level }
    expect(counted).toEqual([{ orgId: 'org-1', teamId: 'team-1', ...known }])
    expect(pairs).toEqual([{ agentA: 'a', agentB: 'b', scoreE4: 10_000 }])
    expect(metered).toBe(1)
  })

  it('is stored together with its dependent records or not at all', async () => {
    const before = await storedCount()
    teamReputation = { append: () => Promise.reject(new Error('no')) }
    await expect(ask({ teamId: 'team-1' })).rejects.toThrow('no')
    expect(await storedCount()).toBe(before)
  })

  it('is repeated when the team changes, and fails with conflict after too many changes', async () => {
    const before = await storedCount()
    lock = (teamId) => {
      teams = [{ ...TEAM, agentIds: ['a', 'c'] }]
      lock = () => true
      return teamId !== 'team-1'
    }
    expect(await ask({ teamId: 'team-1' })).toMatchObject({ agentIds: ['a', 'c'] })
    expect(await storedCount()).toBe((before ?? 0) + 1)
    expect(metered).toBe(1)
    lock = () => false
    await expect(ask({ teamId: 'team-1' })).rejects.toMatchObject({ code: 'conflict' })
    expect(counted).toHaveLength(1)
  })

  it('is rejected when a member is erased during the assessment', async () => {
    await expect(ask({ agentIds: ['a', 'erased'] })).rejects.toMatchObject({ code: 'conflict' })
  })

  it('is erased with its organisation', async () => {
    const { assessmentId } = await ask({ teamId: 'team-1' })
    expect(await service.find(assessmentId)).toBeDefined()
    await transact(db, (tx) => createTeamAssessmentStore(tx).deleteOfOrg(toOrgId('org-1')))
    expect(await service.find(assessmentId)).toBeUndefined()
    expect(await storedCount()).toBe(0)
  })
})
