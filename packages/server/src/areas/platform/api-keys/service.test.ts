import type { KyselyPlugin } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { SYSTEM_ACTOR } from '../../../audit.ts'
import type { Db } from '../../../kernel/db.ts'
import { tokenHash, toOrgId } from '../../../kernel/ids.ts'
import { createKeyService } from './service.ts'

const ORG = { orgId: toOrgId('org-1'), accountId: 'ba-1' }
const WANTED = { name: 'key', role: undefined, scopes: ['read'], expiresInDays: undefined } as const

describe('a key that is revoked during its lookup', () => {
  it('is not cached, so its next use is refused', async () => {
    const { db } = await testDatabase()
    const clock = testClock()
    const listeners: ((keyId: string) => void)[] = []
    const service = (on: Db) =>
      createKeyService({
        db: on,
        clock,
        audit: { record: async () => undefined },
        orgs: { roleIn: async () => 'owner' },
        agents: { keepOpen: async () => undefined },
        notices: {
          publish: async () => undefined,
          on: (_topic, listener) => void listeners.push(listener),
          isLive: () => true,
          onReset: () => undefined,
          start: async () => undefined,
          stop: async () => undefined,
        },
        onError: (err) => {
          throw err
        },
      })
    const otherNode = service(db)
    const { key, record } = await otherNode.create(ORG, SYSTEM_ACTOR, WANTED)
    let revokeOnce: (() => Promise<void>) | undefined = async () => {
      await otherNode.revoke(record.keyId, { orgId: ORG.orgId }, SYSTEM_ACTOR)
      for (const listener of listeners) listener(record.keyId)
    }
    const revokeDuringRead: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        const run = revokeOnce
        revokeOnce = undefined
        await run?.()
        return result
      },
    }
    const node = service(db.withPlugin(revokeDuringRead))
    expect(await node.recognise(tokenHash(key))).toMatchObject({ keyId: record.keyId })
    expect(await node.recognise(tokenHash(key))).toBeUndefined()
  })
})
