import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { createConversationStore } from './conversation-store.ts'
import type { SelectExisting } from './ports.ts'
import type { UsageOfHour } from './usage.ts'
import { createUsageStore } from './usage-store.ts'

const NOW = new Date('2026-01-02T03:00:00Z')
const DAY_LATER = new Date('2026-01-03T03:00:00Z')

const selectExisting: SelectExisting = (agentIds) =>
  sql`select agent_id from unnest(${agentIds}::text[]) as given (agent_id) where agent_id <> 'erased'`

const usageOf = (agentId: string): UsageOfHour => ({
  orgId: 'org-1',
  agentId,
  hour: NOW,
  requestedModel: 'large',
  model: 'large',
  turns: 1,
  inputTokens: 2,
  cachedTokens: 0,
  outputTokens: 3,
  toolCalls: 1,
  blocked: 1,
  ungoverned: 0,
})

describe('a turn that ends after its agent was erased', () => {
  it('is not counted, but the others of its batch are', async () => {
    const store = createUsageStore((await testDatabase()).db)
    await store.addAll([usageOf('erased'), usageOf('kept')], selectExisting)
    const days = (agentId: string) => store.days({ orgId: 'org-1', agentId }, NOW, DAY_LATER)
    expect(await days('kept')).toMatchObject([{ turns: 1, inputTokens: 2, blocked: 1 }])
    expect(await days('erased')).toEqual([])
  })

  it('leaves nothing of its conversation', async () => {
    const store = createConversationStore((await testDatabase()).db)
    const refused = [{ callId: 'a', name: 'rm', kind: 'function', text: 'No.' }] as const
    for (const agentId of ['erased', 'kept']) {
      const kept = { orgId: 'org-1', agentId, answerId: 'resp-1', sessionId: 's', refused }
      await store.save(kept, NOW, selectExisting)
    }
    const found = (agentId: string) => store.find({ orgId: 'org-1', agentId }, 'resp-1')
    expect(await found('kept')).toEqual({ sessionId: 's', refused })
    expect(await found('erased')).toBeUndefined()
  })
})
