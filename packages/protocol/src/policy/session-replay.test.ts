import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePolicy } from './compile-policy.ts'
import type { Evaluation } from './evaluation.ts'
import { mergedOf } from './policy.fixture.ts'
import { NEW_COUNTER, takeCounts } from './session-counters.ts'
import { sessionDemand } from './session-demand.ts'
import { createSessionReplay, createTraceReplay } from './session-replay.ts'
import type { PolicyFlow, PolicyLimit } from './session-rules.ts'

const MINUTE_MS = 60_000
const START_MS = Date.parse('2026-03-01T12:00:00Z')

const limit = (given: Partial<PolicyLimit> = {}): PolicyLimit => ({
  name: 'few',
  tools: ['pay'],
  max: 2,
  per: 'minute',
  action: 'block',
  reason: 'Too many',
  ...given,
})
const flow: PolicyFlow = {
  name: 'leak',
  from: ['mcp__web__*'],
  to: ['mcp__mail__send'],
  action: 'escalate',
  reason: 'Read from the web',
}

type Given = Parameters<typeof mergedOf>[0]
type Call = { tool?: string; session?: string | null; at?: number; hash?: string | null }

const CLEAN: Evaluation = {
  verdict: 'pass',
  violations: [],
  warnings: [],
  card_gaps: [],
  coverage: compilePolicy({ policy: mergedOf({}) }).coverage,
}

function rulesOf(given: Given) {
  const rules = compilePolicy({ policy: mergedOf(given) }).sessionRules
  if (rules === undefined) throw new Error('no rules')
  return rules
}

/** The types of the findings of each call, in mode enforce. */
function replay(given: Given, calls: readonly Call[]): string[] {
  const session = createSessionReplay(rulesOf(given))
  return calls.map(({ tool = 'pay', session: sessionId = 's', at = 0, hash = null }) => {
    const call = { tool, sessionId, argumentsHash: hash, nowMs: START_MS + at }
    const isLetThrough = ({ violations }: Evaluation) => violations.length === 0
    const { violations, warnings } = session.judge(call, CLEAN, isLetThrough)
    return [...violations, ...warnings].map(({ type }) => type).join() || 'allow'
  })
}

describe('a limit', () => {
  it('lets as many calls through as it says in a window, of all sessions', () => {
    expect(
      replay({ limits: [limit()] }, [
        {},
        { session: 't' },
        { at: MINUTE_MS - 1 },
        { at: MINUTE_MS },
        { tool: 'other', at: MINUTE_MS },
      ]),
    ).toEqual(['allow', 'allow', 'limit', 'allow', 'allow'])
  })

  it('per session counts each session by itself, for as long as it lasts', () => {
    expect(
      replay({ limits: [limit({ per: 'session', max: 1 })] }, [
        {},
        { session: 't' },
        { at: 24 * 60 * MINUTE_MS },
      ]),
    ).toEqual(['allow', 'allow', 'limit'])
  })

  it('per session without a session counts the last 60 minutes', () => {
    const at = (minutes: number) => ({ session: null, at: minutes * MINUTE_MS })
    expect(
      replay({ limits: [limit({ per: 'session' })] }, [at(0), at(30), at(59), at(61), at(62)]),
    ).toEqual(['allow', 'allow', 'limit', 'allow', 'limit'])
  })

  it('that only warns lets the call through, which other limits then count', () => {
    const soft = limit({ name: 'soft', max: 1, action: 'warn' })
    expect(replay({ limits: [soft, limit()] }, [{}, {}, {}])).toEqual([
      'allow',
      'limit',
      'limit,limit',
    ])
  })

  it('is not used up by a call that another limit stops', () => {
    const day = limit({ name: 'day', tools: ['*'], per: 'day', max: 3 })
    expect(
      replay({ limits: [limit({ max: 1 }), day] }, [
        {},
        {},
        {},
        { tool: 'a' },
        { tool: 'a' },
        { tool: 'a' },
      ]),
    ).toEqual(['allow', 'limit', 'limit', 'allow', 'allow', 'limit'])
  })

  it('tells its layer, name and bounds', () => {
    const demand = sessionDemand(rulesOf({ limits: [limit()] }), {
      tool: 'pay',
      sessionId: null,
      argumentsHash: null,
      nowMs: START_MS,
    })
    expect(demand.reservations[0]?.finding).toEqual({
      violation: {
        type: 'limit',
        tool: 'pay',
        reason: 'Too many (limit agent/few: at most 2 per minute)',
        rule: 'agent/few',
        severity: 'high',
        blocking: true,
      },
    })
  })
})

describe('a flow', () => {
  const send = 'mcp__mail__send'
  it('stops its target tools of a session after one of its sources', () => {
    const calls = [
      { tool: send },
      { tool: 'mcp__web__fetch' },
      { tool: send },
      { tool: send, session: 't' },
    ]
    expect(replay({ flows: [flow] }, calls)).toEqual(['allow', 'allow', 'flow', 'allow'])
  })

  it('without a session stops the agent for 60 minutes', () => {
    const at = (minutes: number, tool = send) => ({ session: null, at: minutes * MINUTE_MS, tool })
    expect(replay({ flows: [flow] }, [at(0, 'mcp__web__fetch'), at(59), at(60)])).toEqual([
      'allow',
      'flow',
      'allow',
    ])
  })

  it('is not started by a call that is stopped', () => {
    const given = { flows: [flow], limits: [limit({ tools: ['mcp__web__*'], max: 1 })] }
    const fetch = { tool: 'mcp__web__fetch' }
    const inTwo = [fetch, { ...fetch, session: 't' }, { tool: send, session: 't' }]
    expect(replay(given, inTwo)).toEqual(['allow', 'limit', 'allow'])
  })
})

describe('identical calls', () => {
  it('escalate after the given number in a session', () => {
    const given = { defaults: { max_identical_calls: 2 } }
    const calls = [
      { hash: 'a' },
      { hash: 'a' },
      { hash: 'b' },
      { hash: 'a' },
      { hash: 'a', session: 't' },
    ]
    expect(replay(given, calls)).toEqual(['allow', 'allow', 'allow', 'loop', 'allow'])
    expect(replay(given, [{}, {}, {}])).toEqual(['allow', 'allow', 'loop'])
  })
})

describe('a replay of traces', () => {
  it('counts the tools of each trace in order, but no identical calls', () => {
    const replay = createTraceReplay({
      sessionRules: rulesOf({ limits: [limit()], defaults: { max_identical_calls: 2 } }),
    })
    const found = [['pay', 'other'], ['pay', 'pay'], ['other']].map((tools) => {
      const { verdict, violations } = replay({ sessionId: 's', tools, nowMs: START_MS }, CLEAN)
      return [verdict, ...violations.map(({ rule }) => rule)]
    })
    expect(found).toEqual([['pass'], ['fail', 'agent/few'], ['pass']])
  })
})

describe('counts', () => {
  it('never exceed any limit, whatever calls are batched together', () => {
    const reservation = (key: string, max: number) => ({
      key,
      max,
      sliding: false,
      expiresAtMs: 1,
      finding: undefined,
    })
    const calls = fc.array(
      fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c'), { minLength: 1 }),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(calls, fc.integer({ min: 1, max: 5 }), fc.nat(30), (keys, max, split) => {
        const wanted = keys.map((of) => of.map((key) => reservation(key, max)))
        const first = takeCounts(wanted.slice(0, split), new Map(), 0)
        const second = takeCounts(wanted.slice(split), first.states, 0)
        const whole = takeCounts(wanted, new Map(), 0)
        expect([...first.exceeded, ...second.exceeded].map(({ length }) => length)).toEqual(
          whole.exceeded.map(({ length }) => length),
        )
        for (const key of ['a', 'b', 'c']) {
          const taken = keys.filter(
            (of, at) => of.includes(key) && whole.exceeded[at]?.length === 0,
          )
          expect((whole.states.get(key) ?? NEW_COUNTER).used).toBe(taken.length)
          expect(taken.length).toBeLessThanOrEqual(max)
        }
      }),
    )
  })
})
