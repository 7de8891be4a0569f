import { describe, expect, it } from 'vitest'
import { isKnownTo } from './trust-edge.ts'

describe('isKnownTo', () => {
  const agent = { orgId: 'org-1', visibility: 'public', archived: false }

  it.each([
    [
      'its own organisation, whatever it is',
      'org-1',
      { visibility: 'private', archived: true },
      true,
    ],
    ['others, when it is public', 'org-2', {}, true],
    ['others, when it is unlisted', 'org-2', { visibility: 'unlisted' }, true],
    ['no others, when it is private', 'org-2', { visibility: 'private' }, false],
    ['no others, when it is archived', 'org-2', { archived: true }, false],
  ])('is so for %s', (_, orgId, changes, known) => {
    expect(isKnownTo(orgId, { ...agent, ...changes })).toBe(known)
  })
})
