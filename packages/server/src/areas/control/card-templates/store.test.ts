import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import type { StoredTemplate } from './card-template.ts'
import { createTemplateStore } from './store.ts'

const AT = new Date('2026-03-02T12:00:00.000Z')

let store: ReturnType<typeof createTemplateStore>

beforeAll(async () => {
  store = createTemplateStore((await testDatabase()).db)
})

const STORED: StoredTemplate = {
  orgId: 'org-1',
  version: 1,
  enabled: true,
  template: {
    cardId: 'tmpl-1',
    agentId: null,
    issuedAt: AT,
    card: { values: { declared: ['privacy'], hierarchy: 'weighted' } },
    conscienceValues: [{ type: 'FEAR', name: 'haste', content: 'Acting before thinking.' }],
  },
  createdBy: 'user-1',
  updatedBy: 'user-2',
  createdAt: AT,
  updatedAt: AT,
}

describe('the store of card templates', () => {
  it('returns what was saved, including deletions', async () => {
    expect(await store.find('org-1')).toBeUndefined()
    await store.save(STORED)
    expect(await store.find('org-1')).toEqual(STORED)
    const deleted = { ...STORED, version: 2, enabled: false, template: null }
    await store.save(deleted)
    expect(await store.find('org-1')).toEqual(deleted)
    expect(await store.findActive('org-1')).toEqual({ version: 2, template: undefined })
  })

  it('has no active template while it is disabled', async () => {
    await store.save({ ...STORED, enabled: false })
    expect(await store.findActive('org-1')).toEqual({ version: 1, template: undefined })
    await store.save(STORED)
    expect((await store.findActive('org-1'))?.template).toEqual(STORED.template)
  })

  const EXEMPTION = { agentId: 'agent-1', exempt: true, updatedBy: 'user-1', updatedAt: AT }

  it('refuses an exemption without a reason', async () => {
    await expect(store.saveExemption({ ...EXEMPTION, reason: null })).rejects.toThrow()
    expect(await store.findExemption('agent-1')).toBeUndefined()
  })

  it('replaces an exemption when it is lifted, and deletes it', async () => {
    const granted = { ...EXEMPTION, reason: 'a test bench' }
    await store.saveExemption(granted)
    expect(await store.findExemption('agent-1')).toEqual(granted)
    const lifted = { ...EXEMPTION, exempt: false, reason: null }
    await store.saveExemption(lifted)
    expect(await store.findExemption('agent-1')).toEqual(lifted)
    await store.deleteExemption(toAgentId('agent-1'))
    expect(await store.findExemption('agent-1')).toBeUndefined()
  })
})
