import { beforeAll, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { holdTransaction } from '#harness/held-transaction.ts'
import type { Db } from '../../../kernel/db.ts'
import { createToolUse } from './tool-use-service.ts'

let db: Db
let url: string

beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  url = database.connectionString
})

it('says so if counting takes too long', async () => {
  const held = await holdTransaction(url, [['lock table trace in access exclusive mode']])
  const range = { start: new Date(0), end: new Date() }
  const query = { agentId: 'a', range, flaggedSessions: [], tracesMax: 10, groupsMax: 10 }
  await expect(createToolUse({ db }, 50).count(query)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('shorter period'),
  })
  await held.rollback()
  expect(await createToolUse({ db }, 60_000).count(query)).toEqual({ traces: 0, uses: [] })
})
