import { describe, expect, it } from 'vitest'
import { type Policy, type TargetFlags, targetOf } from './policy-target.ts'

const policyOf = (scope: string): Policy => ({ meta: { scope } })
const NO_FLAGS: TargetFlags = { agentDefault: undefined }

describe('the target of a policy', () => {
  it('is given by its scope and the flag of the same name', () => {
    const agent = { scope: 'agent', id: 'desk' }
    expect(targetOf(policyOf('agent'), { ...NO_FLAGS, agent: 'desk' })).toEqual(agent)
    expect(targetOf(policyOf('agent'), { agentDefault: 'desk' })).toEqual(agent)
    expect(targetOf(policyOf('agent'), { agent: 'desk', agentDefault: 'other' })).toEqual(agent)
    const team = { scope: 'team', id: 'team-1' }
    expect(targetOf(policyOf('team'), { ...NO_FLAGS, team: 'team-1' })).toEqual(team)
    expect(targetOf(policyOf('org'), NO_FLAGS)).toEqual({ scope: 'org' })
  })

  it('is required, together with a valid scope', () => {
    expect(() => targetOf(policyOf('agent'), NO_FLAGS)).toThrow('needs --agent')
    expect(() => targetOf(policyOf('team'), { agentDefault: 'desk' })).toThrow('needs --team')
    expect(() => targetOf(policyOf('fleet'), NO_FLAGS)).toThrow('meta.scope')
    expect(() => targetOf({}, NO_FLAGS)).toThrow('meta.scope')
  })

  it('must match the flag that was given', () => {
    for (const scope of ['org', 'team']) {
      expect(() => targetOf(policyOf(scope), { ...NO_FLAGS, agent: 'desk', team: 't' })).toThrow(
        `--agent is for a policy of scope agent, and this one has scope ${scope}. Leave --agent out, or set meta.scope to agent.`,
      )
    }
    for (const scope of ['org', 'agent']) {
      expect(() => targetOf(policyOf(scope), { team: 't', agentDefault: 'desk' })).toThrow(
        `--team is for a policy of scope team, and this one has scope ${scope}.`,
      )
    }
  })

  it('ignores TOUCHSTONE_AGENT for other scopes', () => {
    expect(targetOf(policyOf('org'), { agentDefault: 'desk' })).toEqual({ scope: 'org' })
    const named = { team: 'team-1', agentDefault: 'desk' }
    expect(targetOf(policyOf('team'), named)).toEqual({ scope: 'team', id: 'team-1' })
  })
})
