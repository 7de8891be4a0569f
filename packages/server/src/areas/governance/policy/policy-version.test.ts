import { describe, expect, it } from 'vitest'
import { documentOf, ENFORCING } from './policy.fixture.ts'
import { deletionOf, nextVersion, type PolicyVersion } from './policy-version.ts'

const owner = { kind: 'agent', id: 'agent-1' } as const
const MONDAY = new Date('2026-03-02T12:00:00.000Z')
const TUESDAY = new Date('2026-03-03T12:00:00.000Z')
const WEDNESDAY = new Date('2026-03-04T12:00:00.000Z')

const write = (before: PolicyVersion | undefined, at: Date, sparse = {}) =>
  nextVersion(
    { owner, before, at, by: 'user-1' },
    { document: documentOf(sparse), freshId: `pol-${at.toISOString().slice(0, 10)}` },
  )

describe('the next version of a policy', () => {
  it('starts at 1 and increments with the same policy id', () => {
    const first = write(undefined, MONDAY)
    expect(first).toMatchObject({ version: 1, policyId: 'pol-2026-03-02', createdAt: MONDAY })
    expect(write(first, TUESDAY)).toMatchObject({
      version: 2,
      policyId: 'pol-2026-03-02',
      createdAt: MONDAY,
      updatedAt: TUESDAY,
    })
  })

  it('after a deletion, which takes a version number, starts a new policy', () => {
    const deletion = deletionOf(write(undefined, MONDAY, ENFORCING), { at: TUESDAY, by: 'user-2' })
    expect(deletion).toMatchObject({ version: 2, document: null, enforceSince: null })
    expect(write(deletion, WEDNESDAY, ENFORCING)).toMatchObject({
      version: 3,
      policyId: 'pol-2026-03-04',
      createdAt: WEDNESDAY,
      enforceSince: WEDNESDAY,
    })
  })

  it('keeps the start of enforcement until the policy mode changes', () => {
    const first = write(undefined, MONDAY, ENFORCING)
    expect(first.enforceSince).toEqual(MONDAY)
    const second = write(first, TUESDAY, ENFORCING)
    expect(second.enforceSince).toEqual(MONDAY)
    const paused = write(second, TUESDAY)
    expect(paused.enforceSince).toBeNull()
    expect(write(paused, WEDNESDAY, ENFORCING).enforceSince).toEqual(WEDNESDAY)
  })
})
