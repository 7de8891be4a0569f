import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Role } from '../../../access.ts'
import { type Answer, judgeAnswer } from './answer.ts'
import { pendingOf, ruleOf, START } from './approvals.fixture.ts'
import type { Escalation } from './escalation.ts'

const APPROVE: Answer = { outcome: 'approve', note: null, scope: undefined, ttlMinutes: undefined }
const REJECT: Answer = { ...APPROVE, outcome: 'reject' }
const SESSION: Answer = { ...APPROVE, scope: 'session' }
const WIDE = { sessionId: 'sess-1', rule: ruleOf({ scopes: ['call', 'session'] }) }

const PEOPLE = ['user-1', 'user-2', 'a', 'b', 'c', 'd', 'e']

const after = (minutes: number) => new Date(START.getTime() + minutes * 60_000)

function answered(
  escalation: Escalation,
  answer: Answer,
  {
    userId = 'user-1',
    role = 'owner' as Role,
    at = START,
    keyId = undefined as string | undefined,
    roles = new Map(PEOPLE.map((id): [string, Role] => [id, role])),
  } = {},
) {
  return judgeAnswer(escalation, { answer, by: { userId, role, keyId }, roles }, at)
}
function must(...given: Parameters<typeof answered>): Escalation {
  const judged = answered(...given)
  if (!judged.ok) throw new Error(judged.message)
  return judged.escalation
}
const codeOf = (...given: Parameters<typeof answered>) => {
  const judged = answered(...given)
  return judged.ok ? 'ok' : judged.code
}

describe('an answer', () => {
  it('approves one call for 15 minutes, or as long as it says', () => {
    expect(must(pendingOf('esc-1'), { ...APPROVE, note: 'Seen' })).toMatchObject({
      status: 'approved',
      resolvedBy: 'user-1',
      resolvedAt: START,
      note: 'Seen',
      scope: 'call',
      usesLeft: 1,
      validUntil: after(15),
      approvals: [{ by: 'user-1', at: START, note: 'Seen' }],
    })
    expect(must(pendingOf('esc-1'), { ...APPROVE, ttlMinutes: 60 }).validUntil).toEqual(after(60))
  })

  it('approves a session if the policy allows it and there is one', () => {
    expect(must(pendingOf('esc-1', WIDE), SESSION)).toMatchObject({
      scope: 'session',
      usesLeft: 100,
    })
    expect(codeOf(pendingOf('esc-1', { sessionId: 'sess-1' }), SESSION)).toBe('invalid_request')
    expect(codeOf(pendingOf('esc-1', { ...WIDE, sessionId: null }), SESSION)).toBe(
      'invalid_request',
    )
  })

  it('of a rejection ends the escalation and has no scope', () => {
    expect(must(pendingOf('esc-1'), REJECT)).toMatchObject({
      status: 'rejected',
      scope: null,
      usesLeft: null,
    })
    expect(codeOf(pendingOf('esc-1'), { ...REJECT, scope: 'call' })).toBe('invalid_request')
    expect(codeOf(pendingOf('esc-1'), { ...REJECT, ttlMinutes: 5 })).toBe('invalid_request')
  })

  it('is only for the roles of the rule', () => {
    expect(codeOf(pendingOf('esc-1'), APPROVE, { role: 'member' })).toBe('forbidden')
    const members = pendingOf('esc-1', { rule: ruleOf({ roles: ['member'] }) })
    expect(codeOf(members, APPROVE, { role: 'member' })).toBe('ok')
    expect(codeOf(members, APPROVE, { role: 'owner' })).toBe('forbidden')
  })

  it('is too late once the escalation has ended', () => {
    expect(codeOf(pendingOf('esc-1'), APPROVE, { at: after(60) })).toBe('conflict')
    expect(codeOf(must(pendingOf('esc-1'), APPROVE), REJECT)).toBe('conflict')
  })
})

describe('an escalation that needs several approvals', () => {
  const two = pendingOf('esc-1', { ...WIDE, rule: { ...WIDE.rule, required: 2 } })

  it('stays pending until enough different people have approved', () => {
    const once = must(two, APPROVE)
    expect(once).toMatchObject({ status: 'pending', resolvedBy: null, scope: null, usesLeft: null })
    expect(codeOf(once, APPROVE)).toBe('self_approval')
    expect(must(once, APPROVE, { userId: 'user-2' })).toMatchObject({
      status: 'approved',
      resolvedBy: 'user-2',
      approvals: [{ by: 'user-1' }, { by: 'user-2' }],
    })
  })

  it('refuses a second approval by the same person, whatever its scope', () => {
    for (const given of [{ sessionId: 'sess-1' }, { sessionId: null }]) {
      const once = must(pendingOf('esc-1', { rule: ruleOf({ required: 2 }), ...given }), APPROVE)
      expect(codeOf(once, SESSION)).toBe('self_approval')
    }
  })

  it('does not count those who left, or who lost the role', () => {
    const once = must(two, APPROVE)
    for (const roles of [new Map<string, Role>(), new Map<string, Role>([['user-1', 'member']])]) {
      const second = must(once, APPROVE, { userId: 'user-2', roles })
      expect(second).toMatchObject({ status: 'pending', approvals: [{ by: 'user-2' }] })
      expect(codeOf(once, APPROVE, { keyId: 'key-of-user-1', roles })).toBe('forbidden')
    }
  })

  it('ends with one rejection, also by somebody who approved before', () => {
    const once = must(two, APPROVE)
    expect(must(once, REJECT, { userId: 'user-2' }).status).toBe('rejected')
    expect(must(once, REJECT).status).toBe('rejected')
  })

  it('covers no more than everybody agreed to', () => {
    const first = must(two, { ...SESSION, ttlMinutes: 60 })
    const call = must(first, { ...APPROVE, ttlMinutes: 5 }, { userId: 'user-2' })
    expect(call).toMatchObject({ scope: 'call', usesLeft: 1, validUntil: after(5) })
    const both = must(first, { ...SESSION, ttlMinutes: 30 }, { userId: 'user-2' })
    expect(both).toMatchObject({ scope: 'session', usesLeft: 100, validUntil: after(30) })
  })

  it('is never approved by fewer people than required', () => {
    const people = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 12 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), people, (required, userIds) => {
        let escalation = pendingOf('esc-1', { rule: ruleOf({ required }) })
        for (const userId of userIds) {
          const judged = answered(escalation, APPROVE, { userId })
          if (judged.ok) escalation = judged.escalation
        }
        const isApproved = new Set(userIds).size >= required
        expect(escalation.status).toBe(isApproved ? 'approved' : 'pending')
        const by = escalation.approvals.map((one) => one.by)
        expect(new Set(by).size).toBe(by.length)
      }),
    )
  })
})
