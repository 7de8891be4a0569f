import { beforeEach, describe, expect, it } from 'vitest'
import { type TestClock, testClock } from '#harness/clock.ts'
import type { Rules } from './agent-snapshot.ts'
import { effectiveRulesOf, PERMISSIVE } from './gateway.fixture.ts'
import { createSnapshots, type SnapshotDeps } from './snapshot-service.ts'

const AGENT = 'agent-1'
const OTHER = 'agent-2'

type Source = 'agent' | 'policy' | 'containment' | 'nudges' | 'tools'

let clock: TestClock
let reads: string[]
let rules: Rules
let change: Record<Source, (agentId: string | undefined) => void>
/** Runs during a read, after the agent and before its rules. */
let meanwhile: () => void

beforeEach(() => {
  clock = testClock()
  reads = []
  rules = { readable: true, effective: effectiveRulesOf(PERMISSIVE), readMs: 4 }
  meanwhile = () => undefined
})

function snapshots(given: Partial<SnapshotDeps> = {}) {
  const none = () => undefined
  change = { agent: none, policy: none, containment: none, nudges: none, tools: none }
  const listen = (source: Source) => (listener: (agentId: string | undefined) => void) => {
    change[source] = listener
  }
  return createSnapshots({
    clock,
    agents: {
      async findKnown(agentId) {
        reads.push(agentId)
        return agentId === 'nobody'
          ? undefined
          : { orgId: 'org-1', status: 'active', enforcementMode: 'enforce' }
      },
      onKnownChange: listen('agent'),
    },
    policies: { onRulesChange: listen('policy'), bytesOf: () => 10_000 },
    evaluations: {
      async rulesOf() {
        meanwhile()
        return rules
      },
    },
    containment: {
      stateOf: async () => ({ status: 'active' }),
      onStateChange: listen('containment'),
    },
    holds: { hasNudges: async () => false, onNudgeChange: listen('nudges') },
    toolPins: { changedTools: async () => new Set(['t']), onChangedTools: listen('tools') },
    hearsChanges: () => true,
    ...given,
  })
}

describe('the snapshot of an agent', () => {
  it('contains everything a decision needs to know about the agent', async () => {
    const containedAt = clock.now()
    const containment: SnapshotDeps['containment'] = {
      stateOf: async () => ({ status: 'paused', containedAt }),
      onStateChange: () => undefined,
    }
    expect(await snapshots({ containment }).get(AGENT)).toEqual({
      agentId: AGENT,
      orgId: 'org-1',
      isArchived: false,
      mode: 'enforce',
      contained: { status: 'paused', containedAt },
      rules,
      hasNudges: false,
      changedTools: new Set(['t']),
    })
  })

  it('is cached for a second', async () => {
    const here = snapshots()
    expect(await here.get(AGENT)).toMatchObject({ rules: { readMs: 4 } })
    const cached = await here.get(AGENT)
    expect(cached).toMatchObject({ rules: { readMs: 0 } })
    expect(await here.get(AGENT)).toBe(cached)
    expect(reads).toEqual([AGENT])
    clock.advance(1000)
    await here.get(AGENT)
    expect(reads).toEqual([AGENT, AGENT])
  })

  it.each<Source>(['agent', 'policy', 'containment', 'nudges', 'tools'])(
    'is invalidated by a change of its %s, without affecting other agents',
    async (source) => {
      const here = snapshots()
      await here.get(AGENT)
      await here.get(OTHER)
      change[source](AGENT)
      await here.get(AGENT)
      await here.get(OTHER)
      expect(reads).toEqual([AGENT, OTHER, AGENT])
      change[source](undefined)
      await here.get(AGENT)
      await here.get(OTHER)
      expect(reads).toEqual([AGENT, OTHER, AGENT, AGENT, OTHER])
    },
  )

  it.each<Source>(['agent', 'policy', 'containment', 'nudges', 'tools'])(
    'is not cached if its %s changed during the read',
    async (source) => {
      const here = snapshots()
      meanwhile = () => change[source](AGENT)
      await here.get(AGENT)
      meanwhile = () => undefined
      await here.get(AGENT)
      expect(reads).toEqual([AGENT, AGENT])
      await here.get(AGENT)
      expect(reads).toHaveLength(2)
    },
  )

  it('is not cached for an unknown agent or if its policy cannot be read', async () => {
    const here = snapshots()
    expect(await here.get('nobody')).toBeUndefined()
    expect(await here.get('nobody')).toBeUndefined()
    const readable = rules
    rules = { readable: false, failOpen: true, cause: new Error('down') }
    expect(await here.get(AGENT)).toMatchObject({ rules: { readable: false, failOpen: true } })
    rules = readable
    expect(await here.get(AGENT)).toMatchObject({ rules: { readable: true } })
    expect(reads).toEqual(['nobody', 'nobody', AGENT, AGENT])
  })

  it('is evicted when the policies together exceed the memory limit', async () => {
    const policies = { onRulesChange: () => undefined, bytesOf: () => 200 * 2 ** 20 }
    const here = snapshots({ policies })
    await here.get(AGENT)
    await here.get(OTHER)
    await here.get(AGENT)
    expect(reads).toEqual([AGENT, OTHER, AGENT])
  })

  it('is read for every call while changes made on other nodes may be missed', async () => {
    let hears = true
    const { get } = snapshots({ hearsChanges: () => hears })
    await get('agent-1')
    await get('agent-1')
    expect(reads).toHaveLength(1)
    hears = false
    change.agent(undefined)
    await get('agent-1')
    await get('agent-1')
    expect(reads).toHaveLength(3)
  })
})
