import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import type { TemplateVersion } from './card-template.ts'
import { createTemplateStore } from './store.ts'

const AT = new Date('2026-03-02T12:00:00.000Z')

let store: ReturnType<typeof createTemplateStore>

beforeAll(async () => {
  store = createTemplateStore((await testDatabase()).db)
})

const VERSION: TemplateVersion = {
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
    expect(await store.findLast('org-1')).toBeUndefined()
    await store.save(VERSION)
    expect(await store.findLast('org-1')).toEqual(VERSION)
    const gone = { ...VERSION, version: 2, enabled: false, template: null }
    await store.save(gone)
    expect(await store.findLast('org-1')).toEqual(gone)
    expect(await store.findInForce('org-1')).toEqual({ version: 2, template: undefined })
  })

  it('has no template in force while it is disabled', async () => {
    await store.save({ ...VERSION, enabled: false })
    expect(await store.findInForce('org-1')).toEqual({ version: 1, template: undefined })
    await store.save(VERSION)
    expect((await store.findInForce('org-1'))?.template).toEqual(VERSION.template)
  })

  it('refuses an exemption without a reason', async () => {
    const exemption = { agentId: 'agent-1', exempt: true, updatedBy: 'user-1', updatedAt: AT }
    await expect(store.saveExemption({ ...exemption, reason: null })).rejects.toThrow()
    await store.saveExemption({ ...exemption, reason: 'a test bench' })
    const freed = { ...exemption, exempt: false, reason: null }
    await store.saveExemption(freed)
    expect(await store.findExemption('agent-1')).toEqual(freed)
    await store.deleteExemption(toAgentId('agent-1'))
    expect(await store.findExemption('agent-1')).toBeUndefined()
  })
})
