import { learnPolicy, type ObservedDecision } from '@touchstone/protocol/policy'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { createLearnService, type LearnDeps } from './learn-service.ts'
import type { ImpactRequest, ImpactResult } from './service.ts'

const clock = testClock()
const REQUEST = { orgId: 'org-1', agentId: 'agent-1', days: 90, end: undefined }

const used: ObservedDecision = {
  decision: 'allow',
  verdict: null,
  reasons: [],
  outcome: 'executed',
  bypassed: false,
  enforced: true,
  sessionFlagged: false,
}
const usesOf = (tools: string[]) =>
  tools.map((tool) => ({
    ...used,
    tool,
    count: 1,
    first: clock.now(),
    last: clock.now(),
    newestId: `dec-${tool}`,
  }))
const names = (count: number) => Array.from({ length: count }, (_, n) => `tool-${n}`)

function serviceWith(over: Partial<LearnDeps> = {}) {
  const assessed: ImpactRequest[] = []
  const onWorker: number[] = []
  const deps: LearnDeps = {
    clock,
    agents: { orgOf: async () => 'org-1', nameOf: async () => 'Desk' },
    policies: { layersOf: async () => ({ org: undefined, agent: undefined, card: undefined }) },
    decisions: { count: async () => usesOf(['read']) },
    traces: { countToolUse: async () => ({ traces: 0, uses: [] }) },
    sessions: { flaggedSessions: async () => [] },
    workers: {
      async learnPolicy(input) {
        onWorker.push(input.observations.length)
        return learnPolicy(input)
      },
    },
    ...over,
  }
  const service = createLearnService(deps, {
    async assess(request) {
      assessed.push(request)
      return {} as ImpactResult
    },
  })
  return { service, assessed, onWorker }
}

describe('learning', () => {
  it('assesses the impact of the last thirty days at most', async () => {
    const { service, assessed } = serviceWith()
    const { policy } = await service.learn(REQUEST)
    expect(policy?.meta.name).toBe('Learned: Desk')
    expect(assessed).toEqual([
      { orgId: 'org-1', agentId: 'agent-1', draft: policy, days: 30, end: clock.now() },
    ])
  })

  it('assesses nothing without a policy', async () => {
    const { service, assessed } = serviceWith({ decisions: { count: async () => [] } })
    expect(await service.learn(REQUEST)).toMatchObject({ policy: undefined, impact: undefined })
    expect(assessed).toEqual([])
  })

  it('learns from many observations on a worker', async () => {
    const { service, onWorker } = serviceWith({
      decisions: { count: async () => usesOf(names(201)) },
    })
    expect((await service.learn(REQUEST)).rules).toHaveLength(201)
    expect(onWorker).toEqual([201])
  })

  it('says if only the newest traces were counted', async () => {
    const traces = { countToolUse: async () => ({ traces: 100_001, uses: [] }) }
    expect(await serviceWith({ traces }).service.learn(REQUEST)).toMatchObject({
      traces: 100_000,
      truncated: true,
    })
  })

  it('is refused with more than it may read or a policy can list', async () => {
    const tooMuch: Partial<LearnDeps>[] = [
      { decisions: { count: async () => usesOf(names(20_001)) } },
      { sessions: { flaggedSessions: async () => names(50_001) } },
      { decisions: { count: async () => usesOf(names(19_000).map((name) => `a-long-${name}`)) } },
    ]
    for (const over of tooMuch) {
      await expect(serviceWith(over).service.learn(REQUEST)).rejects.toMatchObject({
        code: 'validation_error',
      })
    }
  })

  it('runs twice at a time, once for an organisation; other requests are told to try again', async () => {
    let finish = () => {}
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    const { service } = serviceWith({
      agents: { orgOf: async (agentId) => `org of ${agentId}`, nameOf: async () => 'Desk' },
      decisions: {
        async count() {
          await held
          return []
        },
      },
    })
    const learn = (agentId: string) =>
      service.learn({ ...REQUEST, orgId: `org of ${agentId}`, agentId })
    const busy = { code: 'unavailable', headers: { 'retry-after': '5' } }
    const first = learn('a')
    await expect(learn('a')).rejects.toMatchObject(busy)
    const second = learn('b')
    await expect(learn('c')).rejects.toMatchObject(busy)
    finish()
    await Promise.all([first, second])
    expect(await learn('a')).toMatchObject({ policy: undefined })
  })
})
