import { describe, expect, it } from 'vitest'
import { versionOf } from './policy.fixture.ts'
import { type Layers, resolutionOf } from './resolution.ts'

const MONDAY = new Date('2026-03-02T12:00:00.000Z')
const TUESDAY = new Date('2026-03-03T12:00:00.000Z')

const ORG = { kind: 'org', id: 'org-1' } as const
const AGENT = { kind: 'agent', id: 'agent-a4c12709' } as const
const resolve = (layers: Partial<Layers>) =>
  resolutionOf(AGENT.id, { org: undefined, agent: undefined, ...layers })

describe('the resolution of an agent', () => {
  it('has the id and version of the specification', () => {
    const both = resolve({
      org: versionOf(ORG, { version: 2 }),
      agent: versionOf(AGENT, { version: 3 }),
    })
    expect(both).toMatchObject({
      id: 'pol-resolved-936405c2d8f2',
      version: 5,
      orgVersion: 2,
      agentVersion: 3,
      mergeStrategy: 'agent_overrides_org',
      source: { policyId: 'pol-agent-a4c12709', version: 3 },
    })
  })

  it('reports a deleted layer as 0 and still adds its number to the version', () => {
    const agent = versionOf(AGENT, { version: 4, document: null })
    expect(resolve({ org: versionOf(ORG, { version: 2 }), agent })).toMatchObject({
      version: 6,
      orgVersion: 2,
      agentVersion: 0,
      mergeStrategy: 'org_only',
      source: { policyId: 'pol-org-1', version: 2 },
    })
  })

  it('is undefined without any document', () => {
    expect(resolve({})).toBeUndefined()
    expect(resolve({ agent: versionOf(AGENT, { version: 2, document: null }) })).toBeUndefined()
  })

  it('enforces since the earlier start of its layers', () => {
    const org = versionOf(ORG, { enforceSince: TUESDAY })
    const agent = versionOf(AGENT, { enforceSince: MONDAY })
    expect(resolve({ org, agent })?.enforcedSince).toEqual(MONDAY)
    expect(resolve({ org })?.enforcedSince).toEqual(TUESDAY)
    expect(resolve({ agent: versionOf(AGENT) })?.enforcedSince).toBeNull()
  })
})
