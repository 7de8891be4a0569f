import { describe, expect, it } from 'vitest'
import { type Named, type Policy, targetOf } from './policy-target.ts'

const policyOf = (scope: string): Policy => ({ meta: { scope } })
const NOBODY: Named = { agentDefault: undefined }

describe('whom a policy is for', () => {
  it('is said by its scope and the flag of that name', () => {
    const agent = { scope: 'agent', id: 'desk' }
    expect(targetOf(policyOf('agent'), { ...NOBODY, agent: 'desk' })).toEqual(agent)
    expect(targetOf(policyOf('agent'), { agentDefault: 'desk' })).toEqual(agent)
    expect(targetOf(policyOf('agent'), { agent: 'desk', agentDefault: 'other' })).toEqual(agent)
    const team = { scope: 'team', id: 'team-1' }
    expect(targetOf(policyOf('team'), { ...NOBODY, team: 'team-1' })).toEqual(team)
    expect(targetOf(policyOf('org'), NOBODY)).toEqual({ scope: 'org' })
  })

  it('is asked for where nobody says it', () => {
    expect(() => targetOf(policyOf('agent'), NOBODY)).toThrow('needs --agent')
    expect(() => targetOf(policyOf('team'), { agentDefault: 'desk' })).toThrow('needs --team')
    expect(() => targetOf(policyOf('fleet'), NOBODY)).toThrow('meta.scope')
    expect(() => targetOf({}, NOBODY)).toThrow('meta.scope')
  })

  it('is never somebody else than the one who was named', () => {
    for (const scope of ['org', 'team']) {
      expect(() => targetOf(policyOf(scope), { ...NOBODY, agent: 'desk', team: 't' })).toThrow(
        `--agent is for a policy of scope agent, and this one has scope ${scope}. Leave --agent out, or set meta.scope to agent.`,
      )
    }
    for (const scope of ['org', 'agent']) {
      expect(() => targetOf(policyOf(scope), { team: 't', agentDefault: 'desk' })).toThrow(
        `--team is for a policy of scope team, and this one has scope ${scope}.`,
      )
    }
  })

  it('does not depend on an agent that was set for other commands', () => {
    expect(targetOf(policyOf('org'), { agentDefault: 'desk' })).toEqual({ scope: 'org' })
    const named = { team: 'team-1', agentDefault: 'desk' }
    expect(targetOf(policyOf('team'), named)).toEqual({ scope: 'team', id: 'team-1' })
  })
})
