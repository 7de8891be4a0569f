import { compilePolicy, type PolicyDocument, resolvePolicy } from '@touchstone/protocol/policy'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import type { EffectiveRules, ToolUse } from './ports.ts'
import { createImpactService, type ImpactDeps } from './service.ts'

const clock = testClock()
const start = clock.nowMs()

function documentOf(...patterns: string[]): PolicyDocument {
  return {
    meta: { schema_version: '1.0', name: 'p', scope: 'agent' },
    capability_mappings: {},
    forbidden: patterns.map((pattern) => ({ pattern, reason: 'r', severity: 'high' })),
    escalation_triggers: [],
    defaults: {},
  }
}

function effectiveRulesOf(...patterns: string[]): EffectiveRules {
  const resolution = resolvePolicy({ agent: documentOf(...patterns) })
  if (resolution === undefined) throw new Error('a document must resolve to a policy')
  return { policy: { resolution, compiled: compilePolicy({ policy: resolution.policy }) } }
}

/** Calls of tool x, one per second, newest first. */
function traces(count: number): ToolUse[] {
  return Array.from({ length: count }, (_, i) => ({
    traceId: `t-${i}`,
    agentId: 'a',
    sessionId: 's',
    tools: ['x'],
    occurredAt: new Date(start - 1000 * i),
  }))
}

function serviceWith(all: readonly ToolUse[], given: Partial<ImpactDeps> = {}) {
  const ranges: { start: Date; end: Date }[] = []
  const service = createImpactService({
    clock,
    agents: { orgOf: async () => 'org' },
    policies: {
      effectiveRules: async () => ({ policy: undefined }),
      candidate: async () => effectiveRulesOf('x'),
      orgCandidate: async () => ({
        draft: documentOf('x'),
        current: documentOf('y'),
        effectiveRules: async () => effectiveRulesOf('x'),
      }),
    },
    traces: {
      async listRecentToolUse({ range, before, countMax }) {
        ranges.push(range)
        const from =
          before === undefined ? 0 : all.findIndex((t) => t.traceId === before.traceId) + 1
        return all.slice(from, from + countMax)
      },
    },
    elapsedMs: () => 0,
    callMsMax: 250,
    ...given,
  })
  return { service, ranges }
}

const REQUEST = { orgId: 'org', agentId: 'a', draft: {}, days: 7 }

describe('the impact of a draft', () => {
  it('replays limits in the order of time', async () => {
    const limit = { name: 'few', tools: ['x'], max: 3, per: 'session', reason: 'r' } as const
    const resolution = resolvePolicy({
      agent: { ...documentOf(), limits: [{ ...limit, action: 'block' }] },
    })
    if (resolution === undefined) throw new Error('a document must resolve to a policy')
    const compiled = compilePolicy({ policy: resolution.policy })
    const { service } = serviceWith(traces(5), {
      policies: {
        effectiveRules: async () => ({ policy: undefined }),
        candidate: async () => ({ policy: { resolution, compiled } }),
        orgCandidate: () => Promise.reject(new Error('not used')),
      },
    })
    const impact = await service.assess(REQUEST)
    expect(impact).toMatchObject({ newlyFailing: 2, tracesEvaluated: 5 })
    // The newest two are those over the limit.
    expect(impact.tools[0]?.samples.map(({ traceId }) => traceId)).toEqual(['t-0', 't-1'])
    expect(impact.relation.unweighed).toContain('limits')
  })

  it('covers all traces of the period, also without a current policy', async () => {
    const { service, ranges } = serviceWith(traces(450))
    expect(await service.assess(REQUEST)).toMatchObject({
      tracesEvaluated: 450,
      truncated: false,
      newlyFailing: 450,
      relation: { relation: 'stricter', newlyBlocked: 'x' },
    })
    expect(ranges[0]).toEqual({ start: new Date(start - 7 * DAY_MS), end: clock.now() })
  })

  it('of a draft for an organisation compares the two documents', async () => {
    const { service } = serviceWith(traces(1))
    expect(await service.assess({ ...REQUEST, agentId: undefined })).toMatchObject({
      relation: { relation: 'incomparable', newlyBlocked: 'x', newlyAllowed: 'y' },
      agentId: undefined,
    })
  })

  it.each([
    [10_000, false],
    [10_001, true],
  ])('with %d traces has truncated = %s', async (count, truncated) => {
    const { service } = serviceWith(traces(count))
    expect(await service.assess(REQUEST)).toMatchObject({ tracesEvaluated: 10_000, truncated })
  })

  it('covers only the newest traces if time runs out', async () => {
    let ms = 0
    const { service } = serviceWith(traces(1000), { elapsedMs: () => (ms += 20) })
    const { tracesEvaluated, truncated, newlyFailing } = await service.assess(REQUEST)
    expect(truncated).toBe(true)
    expect(tracesEvaluated).toBeLessThan(1000)
    expect(newlyFailing).toBe(tracesEvaluated)
  })

  it('stops at a trace that takes too long to evaluate', async () => {
    let ms = 0
    const { service } = serviceWith(traces(3), { elapsedMs: () => (ms += 300) })
    expect(await service.assess(REQUEST)).toMatchObject({ tracesEvaluated: 0, truncated: true })
  })

  it('yields the event loop', async () => {
    let ms = 0
    let turns = 0
    const { service } = serviceWith(traces(100), { elapsedMs: () => (ms += 6) })
    let isRunning = true
    const count = () => {
      turns += 1
      if (isRunning) setImmediate(count)
    }
    setImmediate(count)
    await service.assess(REQUEST)
    isRunning = false
    expect(turns).toBeGreaterThanOrEqual(100)
  })

  it("is refused for another organisation's agent", async () => {
    const { service } = serviceWith([], { agents: { orgOf: async () => 'other' } })
    await expect(service.assess(REQUEST)).rejects.toMatchObject({ code: 'not_found' })
  })
})
