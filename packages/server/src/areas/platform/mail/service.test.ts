import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { MINUTE_MS } from '../../../kernel/clock.ts'
import { transact } from '../../../kernel/db.ts'
import { createJobs } from '../../../kernel/jobs.ts'
import { createSecretBox } from '../../../kernel/secrets.ts'
import type { Mail } from './mail-client.ts'
import { createMailService } from './service.ts'

async function setUp(transport: (mail: Mail) => Promise<void>) {
  const { db, ...database } = await testDatabase()
  const clock = testClock()
  const notices = await testNotices({ db, ...database })
  const jobs = createJobs({ db, clock, notices, node: 'a', onError: () => undefined })
  const outcomes: string[] = []
  const mail = createMailService({
    jobs,
    secrets: createSecretBox(randomBytes(32)),
    transport,
    onOutcome: (kind, outcome) => void outcomes.push(`${kind} ${outcome}`),
  })
  return { db, clock, jobs, mail, outcomes }
}

const MAIL = { kind: 'test', to: 'a@b', subject: 's', text: 'token tsi_secret' }

describe('mail', () => {
  it('is encrypted while queued and sent unchanged', async () => {
    const sent: Mail[] = []
    const { db, jobs, mail, outcomes } = await setUp(async (m) => void sent.push(m))
    await transact(db, (tx) => mail.queue(tx, MAIL))
    const rows = await sql<{ payload: unknown }>`select payload from job`.execute(db)
    expect(JSON.stringify(rows.rows)).not.toContain('tsi_secret')
    await jobs.runDue()
    expect(sent).toEqual([MAIL])
    expect(outcomes).toEqual(['test sent'])
  })

  it('is tried five times within an hour and not again', async () => {
    let attempts = 0
    const { db, clock, jobs, mail, outcomes } = await setUp(async () => {
      attempts += 1
      throw new Error('mail server unreachable')
    })
    await transact(db, (tx) => mail.queue(tx, MAIL))
    for (let minute = 0; minute <= 60; minute += 1) {
      await jobs.runDue()
      clock.advance(MINUTE_MS)
    }
    expect(attempts).toBe(5)
    clock.advance(600 * MINUTE_MS)
    await jobs.runDue()
    expect(attempts).toBe(5)
    expect(outcomes).toEqual(Array(5).fill('test failed'))
  })
})
