import { describe, expect, it } from 'vitest'
import { isKnownTo } from './trust-edge.ts'

describe('isKnownTo', () => {
  const agent = { orgId: 'org-1', visibility: 'public', archived: false }

  it.each([
    [
      'its own organisation, whatever its visibility',
      'org-1',
      { visibility: 'private', archived: true },
      true,
    ],
    ['others, if it is public', 'org-2', {}, true],
    ['others, if it is unlisted', 'org-2', { visibility: 'unlisted' }, true],
    ['others, if it is private', 'org-2', { visibility: 'private' }, false],
    ['others, if it is archived', 'org-2', { archived: true }, false],
  ])('decides for %s', (_, orgId, changes, known) => {
    expect(isKnownTo(orgId, { ...agent, ...changes })).toBe(known)
  })
})
