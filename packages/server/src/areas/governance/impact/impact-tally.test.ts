import type { PolicyViolation } from '@touchstone/protocol/policy'
import { describe, expect, it } from 'vitest'
import { createImpactTally, type JudgedTrace, LISTED_MAX, SAMPLES_MAX } from './impact-tally.ts'

type Judged = JudgedTrace['before']

const at = new Date('2026-03-01T12:00:00.000Z')
const PASS: Judged = { verdict: 'pass', violations: [] }
const violation = (tool: string, blocking = true): PolicyViolation => ({
  type: 'forbidden',
  reason: 'r',
  severity: 'high',
  rule: 'x',
  tool,
  blocking,
})
const blocks = (...tools: string[]): Judged => ({
  verdict: 'fail',
  violations: tools.map((tool) => violation(tool)),
})
const trace = (tools: string[], agentId = 'a', traceId = 't') => ({
  traceId,
  agentId,
  tools,
  occurredAt: at,
})
const tallyOf = (...judged: JudgedTrace[]) => {
  const tally = createImpactTally()
  for (const one of judged) tally.add(one)
  return tally.result()
}

describe('the tally of an impact', () => {
  it('counts calls and tools separately: a call fails if one of its tools does', () => {
    const result = tallyOf({ trace: trace(['x', 'y']), before: PASS, after: blocks('y') })
    expect(result).toMatchObject({
      tracesEvaluated: 1,
      newlyFailing: 1,
      newlyPassing: 0,
      unchanged: 0,
      tools: [
        { tool: 'y', newlyFailing: 1, unchanged: 0, samples: [{ traceId: 't', after: 'fail' }] },
        { tool: 'x', newlyFailing: 0, unchanged: 1, samples: [] },
      ],
      agents: [{ agentId: 'a', newlyFailing: 1 }],
    })
  })

  it('counts a call that still fails as unchanged, even if other tools fail', () => {
    const result = tallyOf({ trace: trace(['x', 'y']), before: blocks('x'), after: blocks('y') })
    expect(result).toMatchObject({
      newlyFailing: 0,
      newlyPassing: 0,
      unchanged: 1,
      tools: [
        { tool: 'x', newlyPassing: 1 },
        { tool: 'y', newlyFailing: 1 },
      ],
    })
  })

  it('counts non-blocking findings as unchanged', () => {
    const after: Judged = { verdict: 'warn', violations: [violation('x', false)] }
    expect(tallyOf({ trace: trace(['x']), before: PASS, after })).toMatchObject({ unchanged: 1 })
  })

  it('lists a condition about the whole call as *', () => {
    const result = tallyOf({ trace: trace(['x']), before: blocks('*'), after: PASS })
    expect(result).toMatchObject({ newlyPassing: 1, tools: [{ tool: '*', newlyPassing: 1 }, {}] })
  })

  it('limits the samples per tool and the listed tools and agents', () => {
    const judged = Array.from({ length: LISTED_MAX + 5 }, (_, i) => ({
      trace: trace(['x', `tool-${i}`], `agent-${i}`, `t-${i}`),
      before: PASS,
      after: blocks('x'),
    }))
    const result = tallyOf(...judged)
    expect(result.tools[0]?.samples.map(({ traceId }) => traceId)).toEqual(
      judged.slice(0, SAMPLES_MAX).map(({ trace: { traceId } }) => traceId),
    )
    expect([result.tools.length, result.toolsTotal]).toEqual([LISTED_MAX, LISTED_MAX + 6])
    expect([result.agents.length, result.agentsTotal]).toEqual([LISTED_MAX, LISTED_MAX + 5])
  })
})
