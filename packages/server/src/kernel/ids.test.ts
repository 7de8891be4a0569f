import { describe, expect, it } from 'vitest'
import { type AgentId, newId, type OrgId, toAgentId, toOrgId } from './ids.ts'

const eraseOrg = (orgId: OrgId): string => orgId
const hooks: { agentErased?: (agentId: AgentId) => string } = {}

describe('branded ids', () => {
  it('cannot stand in for one another, nor a string for them', () => {
    const agentId = toAgentId('agent-1')
    // @ts-expect-error: the id of an agent is not the id of an organisation
    eraseOrg(agentId)
    // @ts-expect-error: nobody said what this string names
    eraseOrg('org-1')
    // @ts-expect-error: what erases organisations does not erase agents
    hooks.agentErased = eraseOrg
    expect(eraseOrg(toOrgId('org-1'))).toBe('org-1')
  })

  it('are strings wherever a string is wanted', () => {
    const plain: string = toOrgId('org-1')
    expect(`${plain} ${JSON.stringify(toAgentId('a'))}`).toBe('org-1 "a"')
  })
})

describe('newId', () => {
  it('is the prefix and a lower-case UUID', () => {
    expect(newId('org')).toMatch(/^org-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })
})
