import { beforeAll, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { SYSTEM_ACTOR } from '../../../audit.ts'
import type { Db } from '../../../kernel/db.ts'
import { createTeamService, type TeamService } from './service.ts'

const clock = testClock()
let db: Db
let teams: TeamService

beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  const facts = async (_db: Db, agentIds: readonly string[]) =>
    agentIds.map((agentId) => ({ agentId, orgId: 'org-1', name: agentId, archived: false }))
  teams = createTeamService({
    db,
    clock,
    audit: { record: async () => undefined },
    events: {
      emit: async () => undefined,
      emitAll: async () => undefined,
      purge: async () => 0,
    },
    agents: { describe: facts, listFacts: facts },
    orgs: { accountOf: async () => 'ba-1' },
    dependents: { rosterChanged: async () => undefined, erase: async () => undefined },
  })
})

async function form(name: string, agentIds: readonly string[]): Promise<string> {
  clock.advance(1000)
  const fields = { description: null, metadata: {}, visibility: 'public' } as const
  const wanted = { ...fields, name, agentIds, orgId: 'org-1' }
  return (await teams.create(wanted, SYSTEM_ACTOR)).team.teamId
}

describe('team queries of other features', () => {
  it('return the roster of an active team of the organisation', async () => {
    const teamId = await form('Roster', ['b', 'a'])
    expect(await teams.findRoster(db, 'org-1', teamId)).toEqual({ teamId, agentIds: ['a', 'b'] })
    expect(await teams.findRoster(db, 'org-2', teamId)).toBeUndefined()
    await teams.archive(teamId, SYSTEM_ACTOR)
    expect(await teams.findRoster(db, 'org-1', teamId)).toBeUndefined()
  })

  it('return the oldest active team with exactly these members', async () => {
    const first = await form('First', ['x', 'y', 'z'])
    const second = await form('Second', ['z', 'y', 'x'])
    await form('Larger', ['x', 'y', 'z', 'w'])
    expect(await teams.findByRoster(db, 'org-1', ['z', 'x', 'y'])).toBe(first)
    expect(await teams.findByRoster(db, 'org-1', ['x', 'y'])).toBeUndefined()
    expect(await teams.findByRoster(db, 'org-2', ['x', 'y', 'z'])).toBeUndefined()
    await teams.archive(first, SYSTEM_ACTOR)
    expect(await teams.findByRoster(db, 'org-1', ['x', 'y', 'z'])).toBe(second)
  })

  it('return the active teams of an agent', async () => {
    const one = await form('One of two', ['m', 'n'])
    const two = await form('Two of two', ['n', 'o'])
    expect(await teams.activeTeamsOf(db, 'n')).toEqual([one, two].sort())
    await teams.archive(one, SYSTEM_ACTOR)
    expect(await teams.activeTeamsOf(db, 'n')).toEqual([two])
  })
})
