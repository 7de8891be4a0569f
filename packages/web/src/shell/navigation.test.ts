import { expect, it } from 'vitest'
import { isSectionPath } from './navigation.ts'
import { PAGE_PATHS } from './page-paths.ts'

it.each([
  ['/decisions', true],
  ['/decisions/dec-1?open=dec-2#top', true],
  ['/settings?x', true],
  ['/', false],
  ['', false],
  ['/decisions.html', false],
  ['//decisions', false],
  ['https://example.org/decisions', false],
  ['/o/org-1/decisions', false],
])('%s names a section: %s', (address, isSection) => {
  expect(isSectionPath(address)).toBe(isSection)
})

it('every section has pages with and without an organisation', () => {
  expect(PAGE_PATHS).toEqual(expect.arrayContaining(['/o/*', '/approvals', '/approvals/*']))
})
