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

describe('a key that is revoked while it is looked up', () => {
  it('is not remembered, so that its next use is refused', async () => {
    const { db } = await testDatabase()
    const clock = testClock()
    const heard: ((keyId: string) => void)[] = []
    const service = (on: Db) =>
      createKeyService({
        db: on,
        clock,
        audit: { record: async () => undefined },
        orgs: { roleIn: async () => 'owner' },
        notices: {
          publish: async () => undefined,
          on: (_topic, listener) => void heard.push(listener),
          onReset: () => undefined,
          start: async () => undefined,
          stop: async () => undefined,
        },
        onError: (err) => {
          throw err
        },
      })
    const elsewhere = service(db)
    const { key, record } = await elsewhere.create(ORG, SYSTEM_ACTOR, WANTED)
    let meanwhile: (() => Promise<void>) | undefined = async () => {
      await elsewhere.revoke(record.keyId, { orgId: ORG.orgId }, SYSTEM_ACTOR)
      for (const hear of heard) hear(record.keyId)
    }
    const slow: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        const run = meanwhile
        meanwhile = undefined
        await run?.()
        return result
      },
    }
    const here = service(db.withPlugin(slow))
    expect(await here.recognise(tokenHash(key))).toMatchObject({ keyId: record.keyId })
    expect(await here.recognise(tokenHash(key))).toBeUndefined()
  })
})
