import { describe, expect, it } from 'vitest'
import { createGatherer, type Timers } from './gatherer.ts'
import type { GatheredCall, Gathering } from './gathering.ts'

const CALL: GatheredCall = {
  traceId: 'tr-1',
  tool: 'a',
  action: 'a',
  line: 'a({})',
  thinking: [],
  decisionIds: [],
  isUrgent: false,
  at: new Date(0),
}

/** Time that passes when a test says so. */
function createTime() {
  let nowMs = 0
  const due = new Set<{ atMs: number; run(): void }>()
  const atExit = new Set<() => void>()
  const timers: Timers = {
    nowMs: () => nowMs,
    after(ms, run) {
      const timer = { atMs: nowMs + ms, run }
      due.add(timer)
      return () => void due.delete(timer)
    },
    beforeExit(run) {
      atExit.add(run)
      return () => void atExit.delete(run)
    },
  }
  return {
    timers,
    pass(ms: number) {
      nowMs += ms
      for (const timer of [...due]) {
        if (timer.atMs <= nowMs && due.delete(timer)) timer.run()
      }
    },
    exit: () => [...atExit].map((run) => run()),
    waiting: () => [due.size, atExit.size],
  }
}

function create(sessionsMax = 10) {
  const time = createTime()
  const complete: [session: string, calls: number][] = []
  let count = 0
  const newCheckpointId = () => {
    count += 1
    return `ic-${count}`
  }
  const gatherer = createGatherer({
    timers: time.timers,
    sessionsMax,
    newCheckpointId,
    onComplete: ({ sessionId, calls }: Gathering) => complete.push([sessionId, calls.length]),
  })
  return { time, complete, gatherer }
}

describe('calls that are held back', () => {
  it('are complete 60 seconds after the first one, session by session', () => {
    const { time, complete, gatherer } = create()
    gatherer.add(CALL, 'one')
    time.pass(30_000)
    gatherer.add(CALL, 'one')
    gatherer.add(CALL, 'two')
    time.pass(29_999)
    expect(complete).toEqual([])
    time.pass(1)
    expect(complete).toEqual([['one', 2]])
    time.pass(30_000)
    expect(complete).toEqual([
      ['one', 2],
      ['two', 1],
    ])
    expect(gatherer.size()).toBe(0)
  })

  it('belong to one checkpoint, whose id is known from the first call on', () => {
    const { gatherer } = create()
    const first = gatherer.add(CALL, 'one')
    const other = gatherer.add(CALL, 'two')
    const last = gatherer.add({ ...CALL, isUrgent: true }, 'one')
    expect(first.complete).toEqual([])
    expect(last.complete).toMatchObject([{ checkpointId: first.checkpointId, sessionId: 'one' }])
    expect(last.checkpointId).toBe(first.checkpointId)
    expect(other.checkpointId).not.toBe(first.checkpointId)
    expect(gatherer.add(CALL, 'one').checkpointId).not.toBe(first.checkpointId)
  })

  it('are complete when the process ends by itself, and leave no timer', () => {
    const { time, complete, gatherer } = create()
    expect(time.waiting()).toEqual([0, 0])
    gatherer.add(CALL, 'one')
    gatherer.add(CALL, 'two')
    expect(time.waiting()).toEqual([2, 1])
    time.exit()
    expect(complete).toEqual([
      ['one', 1],
      ['two', 1],
    ])
    expect(time.waiting()).toEqual([0, 0])
  })

  it('are complete early in the oldest session if there are too many sessions', () => {
    const { time, complete, gatherer } = create(2)
    for (const session of ['one', 'two', 'three']) gatherer.add(CALL, session)
    expect(complete).toEqual([['one', 1]])
    expect([gatherer.size(), time.waiting()]).toEqual([2, [2, 1]])
  })
})
