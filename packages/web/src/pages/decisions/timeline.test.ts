import { describe, expect, it } from 'vitest'
import type { Checkpoint } from '../agents/queries.ts'
import type { Decision } from './queries.ts'
import { timelineOf } from './timeline.ts'

const at = (second: number) => `2026-11-18T12:00:0${second}.000Z`

const decision = (number: number, reported?: number) =>
  ({
    decision_id: `dec-${number}`,
    decided_at: at(number),
    outcome: reported === undefined ? null : { status: 'executed', reported_at: at(reported) },
  }) as Decision

const checkpoint = (number: number) =>
  ({ checkpoint_id: `ck-${number}`, timestamp: at(number) }) as Checkpoint

const keysOf = (...found: Parameters<typeof timelineOf>) =>
  timelineOf(...found).map(({ key }) => key)

describe('the timeline of a session', () => {
  it('has decisions, outcomes and checkpoints in the order of time', () => {
    expect(keysOf([decision(5), decision(2, 6)], [checkpoint(4)])).toEqual([
      'dec-2',
      'ck-4',
      'dec-5',
      'dec-2 outcome',
    ])
  })

  it('has the reasoning before the call, and the call before its outcome, at the same time', () => {
    expect(keysOf([decision(3, 3)], [checkpoint(3)])).toEqual(['ck-3', 'dec-3', 'dec-3 outcome'])
  })

  it('has everything once', () => {
    expect(keysOf([decision(1), decision(1)], [checkpoint(2), checkpoint(2)])).toEqual([
      'dec-1',
      'ck-2',
    ])
  })
})
