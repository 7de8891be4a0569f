import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { SYSTEM_ACTOR } from '../../../audit.ts'
import type { Answer } from './retry.ts'
import { ORG, webhooksOn } from './webhooks.fixture.ts'

/** Answers quickly, mostly with success and sometimes with an error. */
function createFlakyOutbound() {
  let calls = 0
  return {
    assertAllowed: async () => undefined,
    async post(): Promise<Answer> {
      calls += 1
      await sleep(calls % 7)
      if (calls % 5 === 0) return { error: 'the connection failed' }
      return { status: calls % 11 === 0 ? 404 : 200, retryAfter: undefined }
    },
  }
}

it('keeps queue and log consistent while endpoints change and several workers send', async () => {
  const t = await webhooksOn()
  const workers = [1, 2, 3].map(() => t.node(createFlakyOutbound()).worker)
  for (const worker of workers) worker.start()
  const named = async (n: number) => {
    const all = await t.service.list(ORG.orgId)
    const { endpointId } = all[n % all.length] ?? (await t.create('https://receiver.test/'))
    return { orgId: ORG.orgId, endpointId, actor: SYSTEM_ACTOR }
  }
  for (let i = 0; i < 4; i += 1) await t.create('https://receiver.test/')
  for (let round = 0; round < 60; round += 1) {
    await t.emit(...Array.from({ length: 10 }, (_, i) => `${round}-${i}`))
    if (round % 9 === 4) await t.service.delete(await named(round))
    if (round % 9 === 5) await t.create('https://receiver.test/')
    if (round % 4 === 1) await t.service.update(await named(round), { isActive: false })
    if (round % 4 === 3) await t.service.update(await named(round - 2), { isActive: true })
    if (round % 10 === 0) t.clock.advance(11_000)
  }
  const open = sql`select 1 from webhook_due where due_at <= ${t.clock.now()}`
  await eventually(async () => expect((await open.execute(t.db)).rows).toEqual([]))
  await Promise.all(workers.map((worker) => worker.stop()))
  expect(t.errors).toEqual([])
  const inconsistent = await sql`
    select d.delivery_id, d.status, w.seq from webhook_delivery d
    full join webhook_due w on w.seq = d.seq
    where d.seq is null or (w.seq is not null) <> (d.status in ('pending', 'retrying'))
      or (w.seq is not null and w.claim is not null)`.execute(t.db)
  expect(inconsistent.rows).toEqual([])
  expect((await sql`select * from webhook_lane`.execute(t.db)).rows).toEqual([])
  const { rows } = await sql<{ status: string }>`
    select distinct status from webhook_delivery order by status`.execute(t.db)
  expect(rows.map(({ status }) => status)).toEqual(['delivered', 'failed', 'retrying'])
})
