import { describe, expect, it } from 'vitest'
import { chooseTeams, layersOf } from './team-layers.ts'
import { rulesOf } from './transaction.fixture.ts'

const a = { teamId: 'team-a', policy: rulesOf({ defaults: { fail_open: true } }) }
const b = { teamId: 'team-b', policy: undefined }
const c = { teamId: 'team-c', policy: rulesOf({ defaults: { grace_period_hours: 1 } }) }
const own = rulesOf({ defaults: { enforcement_mode: 'enforce' } })
const transactionId = 'txn-1'

describe('the teams of a transaction', () => {
  it('are all teams of the agent by id, with or without a policy', () => {
    expect(chooseTeams([c, a, b], undefined)).toEqual([a, b, c])
    expect(chooseTeams([], undefined)).toEqual([])
  })

  it('are the wanted one, if the agent is in it', () => {
    expect(chooseTeams([c, a], 'team-c')).toEqual([c])
    expect(chooseTeams([c, a], 'team-b')).toBeUndefined()
    expect(chooseTeams([], 'team-a')).toBeUndefined()
  })
})

describe('the layers of a transaction', () => {
  it('are the policies of its teams by id, then its own', () => {
    const teamIds = ['team-a', 'team-b', 'team-c']
    expect(layersOf({ transactionId, teamIds, policy: own }, [c, b, a])).toEqual({
      layers: [a.policy, c.policy, own],
      layerNames: ['team:team-a', 'team:team-c', 'transaction:txn-1'],
    })
    expect(layersOf({ transactionId, teamIds, policy: undefined }, [c, a])).toMatchObject({
      layers: [a.policy, c.policy],
    })
  })

  it('leave out teams that the transaction does not have', () => {
    expect(layersOf({ transactionId, teamIds: ['team-c'], policy: own }, [a, c])).toMatchObject({
      layers: [c.policy, own],
    })
    expect(layersOf({ transactionId, teamIds: [], policy: undefined }, [a, c])).toEqual({
      layers: [],
      layerNames: [],
    })
  })
})
