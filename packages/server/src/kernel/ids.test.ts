import { describe, expect, it } from 'vitest'
import {
  type AgentId,
  createTimedUuids,
  firstUuidAt,
  newId,
  type OrgId,
  timeOfUuid,
  toAgentId,
  toOrgId,
} from './ids.ts'

const eraseOrg = (orgId: OrgId): string => orgId
const hooks: { agentErased?: (agentId: AgentId) => string } = {}

describe('branded ids', () => {
  it('cannot be mixed up with each other or with plain strings', () => {
    const agentId = toAgentId('agent-1')
    // @ts-expect-error: the id of an agent is not the id of an organisation
    eraseOrg(agentId)
    // @ts-expect-error: a plain string has no brand
    eraseOrg('org-1')
    // @ts-expect-error: a function that erases organisations does not accept the id of an agent
    hooks.agentErased = eraseOrg
    expect(eraseOrg(toOrgId('org-1'))).toBe('org-1')
  })

  it('can be used as strings', () => {
    const plain: string = toOrgId('org-1')
    expect(`${plain} ${JSON.stringify(toAgentId('a'))}`).toBe('org-1 "a"')
  })
})

describe('newId', () => {
  it('is the prefix and a lower-case UUID', () => {
    expect(newId('org')).toMatch(/^org-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })
})

describe('UUIDs of version 7', () => {
  it('sort by time and then by creation, and contain their time', () => {
    const newUuid = createTimedUuids()
    const at = Date.parse('2026-03-01T12:00:00.123Z')
    const uuids = [at - 1, at, at, at, at + 1].map(newUuid)
    expect(uuids).toEqual(uuids.toSorted())
    expect(uuids.map(timeOfUuid)).toEqual([at - 1, at, at, at, at + 1])
    for (const uuid of uuids) {
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
    const bound = firstUuidAt(at)
    expect(uuids.filter((uuid) => uuid < bound)).toHaveLength(1)
    expect(firstUuidAt(-1)).toBe('00000000-0000-0000-0000-000000000000')
  })
})
