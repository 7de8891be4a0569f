import { describe, expect, it } from 'vitest'
import { chooseTeams, layersOf } from './team-layers.ts'
import { rulesOf } from './transaction.fixture.ts'

const a = { teamId: 'team-a', policy: rulesOf({ defaults: { fail_open: true } }) }
const b = { teamId: 'team-b', policy: undefined }
const c = { teamId: 'team-c', policy: rulesOf({ defaults: { grace_period_hours: 1 } }) }
const own = rulesOf({ defaults: { enforcement_mode: 'enforce' } })

describe('the teams of a transaction', () => {
  it('are all those of the agent, by id, with or without a policy', () => {
    expect(chooseTeams([c, a, b], undefined)).toEqual([a, b, c])
    expect(chooseTeams([], undefined)).toEqual([])
  })

  it('are the one asked for, if the agent is in it', () => {
    expect(chooseTeams([c, a], 'team-c')).toEqual([c])
    expect(chooseTeams([c, a], 'team-b')).toBeUndefined()
    expect(chooseTeams([], 'team-a')).toBeUndefined()
  })
})

describe('the layers of a transaction', () => {
  it('are the policies of its teams by id, then its own', () => {
    const teamIds = ['team-a', 'team-b', 'team-c']
    expect(layersOf({ teamIds, policy: own }, [c, b, a])).toEqual([a.policy, c.policy, own])
    expect(layersOf({ teamIds, policy: undefined }, [c, a])).toEqual([a.policy, c.policy])
  })

  it('leave out teams that were not chosen for it', () => {
    expect(layersOf({ teamIds: ['team-c'], policy: own }, [a, c])).toEqual([c.policy, own])
    expect(layersOf({ teamIds: [], policy: undefined }, [a, c])).toEqual([])
  })
})
