import { compilePolicy, type PolicyDocument, resolvePolicy } from '@touchstone/protocol/policy'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import type { Standing, ToolUse } from './ports.ts'
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

function standingOf(...patterns: string[]): Standing {
  const resolution = resolvePolicy({ agent: documentOf(...patterns) })
  if (resolution === undefined) throw new Error('One document is enough to resolve.')
  return { policy: { resolution, compiled: compilePolicy({ policy: resolution.policy }) } }
}

/** So many calls of tool x, one a second, the newest first. */
function traces(count: number): ToolUse[] {
  return Array.from({ length: count }, (_, i) => ({
    traceId: `t-${i}`,
    agentId: 'a',
    tools: ['x'],
    occurredAt: new Date(start - 1000 * i),
  }))
}

function serviceWith(all: readonly ToolUse[], given: Partial<ImpactDeps> = {}) {
  const asked: { start: Date; end: Date }[] = []
  const service = createImpactService({
    clock,
    agents: { orgOf: async () => 'org' },
    policies: {
      standing: async () => ({ policy: undefined }),
      candidate: async () => standingOf('x'),
      orgCandidate: async () => ({
        draft: documentOf('x'),
        current: documentOf('y'),
        standing: async () => standingOf('x'),
      }),
    },
    traces: {
      async listRecentToolUse({ range, before, countMax }) {
        asked.push(range)
        const from =
          before === undefined ? 0 : all.findIndex((t) => t.traceId === before.traceId) + 1
        return all.slice(from, from + countMax)
      },
    },
    elapsedMs: () => 0,
    callMsMax: 250,
    ...given,
  })
  return { service, asked }
}

const ASK = { orgId: 'org', agentId: 'a', draft: {}, days: 7 }

describe('the impact of a draft', () => {
  it('is what it changes in all traces of the days, against no policy too', async () => {
    const { service, asked } = serviceWith(traces(450))
    expect(await service.assess(ASK)).toMatchObject({
      tracesEvaluated: 450,
      truncated: false,
      newlyFailing: 450,
      relation: { relation: 'stricter', newlyBlocked: 'x' },
    })
    expect(asked[0]).toEqual({ start: new Date(start - 7 * DAY_MS), end: clock.now() })
  })

  it('of an organisation compares its documents', async () => {
    const { service } = serviceWith(traces(1))
    expect(await service.assess({ ...ASK, agentId: undefined })).toMatchObject({
      relation: { relation: 'incomparable', newlyBlocked: 'x', newlyAllowed: 'y' },
      agentId: undefined,
    })
  })

  it.each([
    [10_000, false],
    [10_001, true],
  ])('of %d traces leaves some out: %s', async (count, truncated) => {
    const { service } = serviceWith(traces(count))
    expect(await service.assess(ASK)).toMatchObject({ tracesEvaluated: 10_000, truncated })
  })

  it('is told of the newest traces when time runs out', async () => {
    let ms = 0
    const { service } = serviceWith(traces(1000), { elapsedMs: () => (ms += 20) })
    const { tracesEvaluated, truncated, newlyFailing } = await service.assess(ASK)
    expect(truncated).toBe(true)
    expect(tracesEvaluated).toBeLessThan(1000)
    expect(newlyFailing).toBe(tracesEvaluated)
  })

  it('gives up a call that takes too long by itself', async () => {
    let ms = 0
    const { service } = serviceWith(traces(3), { elapsedMs: () => (ms += 300) })
    expect(await service.assess(ASK)).toMatchObject({ tracesEvaluated: 0, truncated: true })
  })

  it('lets others have their turn', async () => {
    let ms = 0
    let turns = 0
    const { service } = serviceWith(traces(100), { elapsedMs: () => (ms += 6) })
    let isRunning = true
    const count = () => {
      turns += 1
      if (isRunning) setImmediate(count)
    }
    setImmediate(count)
    await service.assess(ASK)
    isRunning = false
    expect(turns).toBeGreaterThanOrEqual(100)
  })

  it("does not know another organisation's agent", async () => {
    const { service } = serviceWith([], { agents: { orgOf: async () => 'other' } })
    await expect(service.assess(ASK)).rejects.toMatchObject({ code: 'not_found' })
  })
})
