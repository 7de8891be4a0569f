import { hasEnoughEvidence } from '@touchstone/protocol/analysis'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decisionsOf,
  GATHER_MS_MAX,
  type GatherEvent,
  type GatheredCall,
  type Gathering,
  gather,
  textsOf,
} from './gathering.ts'

const call = (changes: Partial<GatheredCall> = {}): GatheredCall => ({
  traceId: 'tr-1',
  tool: 'a',
  action: 'a',
  line: 'a({})',
  thinking: [],
  decisionIds: [],
  isUrgent: false,
  at: new Date(0),
  ...changes,
})

/** Feeds the events to one session, and lists what became of its calls. */
function run(events: readonly GatherEvent[]) {
  let open: Gathering | undefined
  const complete: Gathering[] = []
  for (const event of events) {
    const next = gather(open, event)
    open = next.open
    complete.push(...next.complete)
  }
  return { open, complete }
}

const calls = (given: readonly GatheredCall[]): GatherEvent[] =>
  given.map((one, index) => ({
    type: 'call',
    call: one,
    sessionId: 's',
    newCheckpointId: `ic-${index}`,
    nowMs: index,
  }))

const tokens = (amount: number) => 'x'.repeat(amount * 4)

describe('the gathered calls of a session', () => {
  it('make four checkpoints of at least 100 tokens from twelve calls of 40 tokens', () => {
    const given = Array.from({ length: 12 }, (_, index) =>
      call({ line: tokens(40), decisionIds: [`dec-${index}`] }),
    )
    const { open, complete } = run(calls(given))
    expect(open).toBeUndefined()
    expect(complete.map((one) => one.calls.length)).toEqual([3, 3, 3, 3])
    expect(complete.map((one) => one.checkpointId)).toEqual(['ic-0', 'ic-3', 'ic-6', 'ic-9'])
    expect(complete.flatMap(decisionsOf)).toEqual(given.flatMap((one) => one.decisionIds))
  })

  it('count their thinking, and words that come with several calls only once', () => {
    const given = call({ thinking: [tokens(60)], line: tokens(10) })
    expect(run(calls([given, given])).complete).toEqual([])
    const { complete } = run(calls([given, given, given, given]))
    expect(complete.map(textsOf)).toEqual([
      { thinking: tokens(60), output: Array(4).fill(tokens(10)).join('\n') },
    ])
  })

  it.each([
    [99, 0],
    [100, 1],
  ])('of %s tokens complete %s checkpoints', (amount, count) => {
    expect(run(calls([call({ line: tokens(amount) })])).complete).toHaveLength(count)
  })

  it('are complete at a refused or escalated call, which is the newest of its checkpoint', () => {
    const urgent = call({ isUrgent: true })
    const { open, complete } = run(calls([call(), urgent, call()]))
    expect(complete.map((one) => one.calls.length)).toEqual([2])
    expect(complete[0]?.newest).toBe(urgent)
    expect(open?.calls).toHaveLength(1)
  })

  it.each([
    [GATHER_MS_MAX - 1, 0],
    [GATHER_MS_MAX, 1],
  ])('are %s ms old and complete %s checkpoints', (nowMs, count) => {
    expect(run([...calls([call()]), { type: 'time', nowMs }]).complete).toHaveLength(count)
    const late = { ...calls([call()])[0], nowMs } as GatherEvent
    expect(run([...calls([call()]), late]).complete).toHaveLength(count)
  })

  it('are complete before a checkpoint would name a 51st decision', () => {
    const given = Array.from({ length: 51 }, (_, index) => call({ decisionIds: [`dec-${index}`] }))
    const { open, complete } = run(calls(given))
    expect(complete.map((one) => decisionsOf(one).length)).toEqual([50])
    expect(open && decisionsOf(open)).toEqual(['dec-50'])
    const urgent = call({ decisionIds: ['dec-50'], isUrgent: true })
    const both = run(calls([...given.slice(0, 50), urgent])).complete
    expect(both.map((one) => one.calls.length)).toEqual([50, 1])
  })

  it('are complete at the end of the session, and nothing is sent without a call', () => {
    expect(run([...calls([call()]), { type: 'session_end' }]).complete).toHaveLength(1)
    expect(run([{ type: 'session_end' }, { type: 'time', nowMs: 9e9 }]).complete).toEqual([])
  })
})

const anyCall = fc.record({
  type: fc.constant('call' as const),
  output: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 500 })),
  thinking: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 })),
  isUrgent: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  decisions: fc.integer({ min: 0, max: 2 }),
  afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
})
const anyEvent = fc.oneof(
  { weight: 20, arbitrary: anyCall },
  { weight: 2, arbitrary: fc.constant({ type: 'time' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'session_end' as const }) },
)

type AnyEvent = typeof anyEvent extends fc.Arbitrary<infer T> ? T : never

/** The events with the time, and with ids and decisions of their own. */
function eventsOf(given: readonly AnyEvent[]): GatherEvent[] {
  let nowMs = 0
  return given.map((event, index) => {
    if (event.type === 'time') return { type: 'time', nowMs }
    if (event.type === 'session_end') return event
    nowMs += event.afterMs
    const made = call({
      traceId: `tr-${index}`,
      line: 'x'.repeat(event.output),
      thinking: event.thinking === 0 ? [] : ['y'.repeat(event.thinking)],
      decisionIds: Array.from({ length: event.decisions }, (_, n) => `dec-${index}-${n}`),
      isUrgent: event.isUrgent,
    })
    const newCheckpointId = `ic-${index}`
    return { type: 'call', call: made, sessionId: 's', newCheckpointId, nowMs }
  })
}

describe('gather', () => {
  it('neither loses nor repeats a call, and keeps every limit', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 150 }), (given) => {
        const events = eventsOf(given)
        const { open, complete } = run(events)
        const gatherings = open === undefined ? complete : [...complete, open]
        const all = events.flatMap((event) => (event.type === 'call' ? [event.call] : []))
        expect(gatherings.flatMap((one) => one.calls)).toEqual(all)
        expect(new Set(gatherings.map((one) => one.checkpointId)).size).toBe(gatherings.length)
        for (const one of gatherings) {
          expect(decisionsOf(one).length).toBeLessThanOrEqual(50)
          expect(one.newest).toBe(one.calls.at(-1))
          // Only the newest call can have made it complete.
          const before = one.calls.slice(0, -1)
          expect(before.some((earlier) => earlier.isUrgent)).toBe(false)
          expect(hasEnoughEvidence(textsOf({ calls: before }))).toBe(false)
        }
        if (open === undefined) return
        expect([open.newest.isUrgent, hasEnoughEvidence(textsOf(open))]).toEqual([false, false])
      }),
    )
  })
})
