import { describe, expect, it } from 'vitest'
import { earlierAnswers } from './earlier-answers.ts'

const EXPIRES = '2026-11-18T13:00:00.000Z'
const escalation = (
  id: string,
  status: 'pending' | 'approved' | 'expired',
  resolvedAt?: string,
) => ({
  escalation_id: id,
  status,
  resolved_at: resolvedAt ?? null,
  expires_at: EXPIRES,
})

const first = escalation('first', 'approved', '2026-11-18T12:01:00.000Z')
const second = escalation('second', 'approved', '2026-11-18T12:02:00.000Z')
const expired = escalation('expired', 'expired')
const pending = escalation('pending', 'pending')
const ALL = [pending, expired, second, first]

const idsOf = (one: Parameters<typeof earlierAnswers>[1]) =>
  earlierAnswers(ALL, one).map(({ escalation_id: id }) => id)

describe('earlier answers', () => {
  it('are all that were given while the call waits', () => {
    expect(idsOf(pending)).toEqual(['expired', 'second', 'first'])
  })

  it('are not those that were given later', () => {
    expect(idsOf(first)).toEqual([])
    expect(idsOf(second)).toEqual(['first'])
    expect(idsOf(expired)).toEqual(['second', 'first'])
  })
})
