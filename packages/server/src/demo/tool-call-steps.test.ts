import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CAST } from './cast.ts'
import { sessionsOf } from './sessions.ts'
import { createPrograms, toolCallSteps } from './tool-call-steps.ts'
import { toolCallsOf } from './tool-calls.ts'

const DAY_MS = 24 * 3_600_000

const callsUntil = (now: Date) =>
  CAST.flatMap((part, place) => sessionsOf(part, now, place)).flatMap(toolCallsOf)

describe('the tool calls of the demo', () => {
  it('are of every kind: plain, above a limit, forbidden, failed and not reported', () => {
    const calls = callsUntil(new Date('2026-03-04T10:00:00Z'))
    expect(calls.length).toBeGreaterThan(1500)
    expect(calls.length).toBeLessThan(4000)
    expect(new Set(calls.map(({ result }) => result?.status))).toEqual(
      new Set(['executed', 'failed', undefined]),
    )
    const amounts = calls.map(({ args }) => Number(args['amount'] ?? 0))
    expect(amounts.filter((amount) => amount > 500 && amount <= 1000)).not.toHaveLength(0)
    expect(amounts.filter((amount) => amount > 1000)).not.toHaveLength(0)
    expect(calls.filter(({ tool }) => tool === 'run_shell')).not.toHaveLength(0)
    expect(new Set(calls.map(({ agentId, callId }) => `${agentId} ${callId}`)).size).toBe(
      calls.length,
    )
  })
})

describe('toolCallSteps', () => {
  it('come after their calls, never in the future, and in order with every cut', () => {
    const times = fc.date({
      min: new Date('2026-01-01T00:00:00Z'),
      max: new Date('2030-01-01T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(times, fc.nat(80), (now, days) => {
        const cut = new Date(now.getTime() - days * DAY_MS)
        const calls = callsUntil(now)
        const before = calls.filter(({ at }) => at < cut)
        const options = { cuts: [cut], now }
        const all = toolCallSteps(calls, createPrograms(), options)
        const early = toolCallSteps(before, createPrograms(), options)
        expect(all.filter(({ at }) => at < cut)).toHaveLength(early.length)
        for (const { at } of early) expect(at < cut).toBe(true)
        for (const { at } of all) expect(at <= now).toBe(true)
        const last = Math.max(...calls.map(({ at }) => at.getTime()))
        expect(Math.max(...all.map(({ at }) => at.getTime()))).toBeGreaterThanOrEqual(last)
      }),
      { numRuns: 20 },
    )
  })
})
