import { describe, expect, it } from 'vitest'
import { deletedTemplate, hasTemplate, nextTemplate, type StoredTemplate } from './card-template.ts'

const MONDAY = new Date('2026-03-02T12:00:00.000Z')
const TUESDAY = new Date('2026-03-03T12:00:00.000Z')

const template = {
  cardId: 'tmpl-org-1',
  agentId: null,
  card: {},
  conscienceValues: [],
  issuedAt: MONDAY,
}
const write = (before: StoredTemplate | undefined, by: string, at: Date) =>
  nextTemplate({ orgId: 'org-1', before, by, at }, { enabled: true, template })

describe('a template', () => {
  it('keeps its creator and increments its version with each change', () => {
    const first = write(undefined, 'user-1', MONDAY)
    expect(first).toMatchObject({ version: 1, createdBy: 'user-1', updatedBy: 'user-1' })
    expect(write(first, 'user-2', TUESDAY)).toMatchObject({
      version: 2,
      createdBy: 'user-1',
      createdAt: MONDAY,
      updatedBy: 'user-2',
      updatedAt: TUESDAY,
    })
  })

  it('increments the version on deletion and is a new template when written again', () => {
    const first = write(undefined, 'user-1', MONDAY)
    const gone = deletedTemplate(first, { by: 'user-2', at: TUESDAY })
    expect(hasTemplate(gone)).toBe(false)
    expect(gone).toMatchObject({ version: 2, enabled: false, template: null })
    expect(write(gone, 'user-3', TUESDAY)).toMatchObject({
      version: 3,
      createdBy: 'user-3',
      createdAt: TUESDAY,
    })
  })
})
