import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { isUniqueViolation, transact } from '../../../kernel/db.ts'
import type { StoredValue } from './conscience-set.ts'
import { createConscienceStore } from './store.ts'

const AT = new Date('2026-03-02T12:00:00.000Z')
type Database = Awaited<ReturnType<typeof testDatabase>>

let database: Database
let store: ReturnType<typeof createConscienceStore>

beforeAll(async () => {
  database = await testDatabase()
  store = createConscienceStore(database.db)
})

const value = (id: string, given: Partial<StoredValue> = {}): StoredValue => ({
  id,
  orgId: 'org-1',
  name: id,
  description: 'Never.',
  type: 'HOPE',
  severity: 'mandatory',
  isActive: true,
  sortOrder: 0,
  createdBy: 'user-1',
  updatedBy: 'user-2',
  createdAt: AT,
  updatedAt: AT,
  ...given,
})

describe('the store of conscience values', () => {
  it('lockOrCreateSettings creates the settings with defaults, and keeps saved ones', async () => {
    expect(await store.find('org-1')).toBeUndefined()
    const initial = { mode: 'augment', enabled: true, revision: 0 }
    expect(
      await transact(database.db, (tx) => createConscienceStore(tx).lockOrCreateSettings('org-1')),
    ).toEqual(initial)
    await store.saveSettings('org-1', { mode: 'replace', enabled: false, revision: 4 })
    expect(await store.lockOrCreateSettings('org-1')).toEqual({
      mode: 'replace',
      enabled: false,
      revision: 4,
    })
  })

  it('returns values as saved, in order', async () => {
    const [one, two] = [value('cv-1', { sortOrder: 1 }), value('cv-2', { sortOrder: 0 })]
    await store.save(one)
    await store.save(two)
    expect(await store.list('org-1')).toEqual([two, one])
    const changed = { ...one, description: 'Not ever.', isActive: false }
    await store.save(changed)
    await store.saveOrder('org-1', ['cv-1', 'cv-2'])
    expect(await store.list('org-1')).toEqual([
      { ...changed, sortOrder: 0 },
      { ...two, sortOrder: 1 },
    ])
    await store.remove('cv-1')
    await store.remove('cv-2')
  })

  it('refuses a duplicate name within an organisation, ignoring case, but not across organisations', async () => {
    await store.lockOrCreateSettings('org-2')
    await store.save(value('cv-3', { name: 'Élan' }))
    const twin = store.save(value('cv-4', { name: 'éLAN' }))
    await expect(twin).rejects.toSatisfy((err) => isUniqueViolation(err))
    await store.save(value('cv-5', { name: 'élan', orgId: 'org-2' }))
    expect(await store.list('org-2')).toHaveLength(1)
  })
})
