import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { eventually } from '#harness/eventually.ts'
import { holdTransaction } from '#harness/held-transaction.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'

let t: TestApp
let url: string
let client: pg.Client

type Decided = { decision_id: string; receipt: object }

beforeAll(async () => {
  t = await testApp()
  url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
  client = new pg.Client({ connectionString: t.databaseUrl })
  await client.connect()
  onFileFinished(() => client.end())
})

async function agentWith(agentId: string, failOpen: boolean): Promise<string> {
  const token = t.first.api_key
  await t.call('POST', '/v1/agents', { token, body: { agent_id: agentId } })
  const body = {
    meta: { schema_version: '1.0', name: 'desk', scope: 'agent' },
    escalation_triggers: [
      { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds are for people' },
    ],
    defaults: {
      enforcement_mode: 'enforce',
      unmapped_tool_action: 'allow',
      fail_open: failOpen,
    },
  }
  const put = await t.call('PUT', `/v1/agents/${agentId}/policy`, { token, body })
  expect(put.status).toBe(200)
  return agentId
}

const decide = (agentId: string, tool = 'search') =>
  fetch(`${url}/v1/gateway/decide`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${t.first.api_key}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ agent_id: agentId, tool }),
  })

/** Ends the connection that waits to store a decision, as a database that goes down does. */
async function decideWhileTheDatabaseEnds(agentId: string) {
  // Afterwards everything but the record of the next decision is cached.
  expect((await decide(agentId)).status).toBe(200)
  const held = await holdTransaction(t.databaseUrl, [['lock table decision in exclusive mode']])
  const asking = decide(agentId)
  await held.untilBlocking()
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`)
  const answer = await asking
  await held.rollback()
  return { status: answer.status, body: (await answer.json()) as Decided }
}

async function unrecordedTotal(): Promise<number> {
  const text = await t.app.kernel.metrics.registry.metrics()
  return Number(/^touchstone_decisions_unrecorded_total (\d+)$/m.exec(text)?.[1])
}

describe('a decision that cannot be stored because the database is down', () => {
  it.each([
    { failOpen: true, decision: 'warn' },
    { failOpen: false, decision: 'block' },
  ])(
    'with fail_open $failOpen: $decision, says so, is counted and is stored later',
    async (given) => {
      const agentId = await agentWith(`unrecorded-${given.failOpen}`, given.failOpen)
      const before = await unrecordedTotal()
      const { status, body } = await decideWhileTheDatabaseEnds(agentId)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        decision: given.decision,
        recorded: false,
        reasons: [{ code: 'evaluation_error', source: 'system' }],
      })
      expect(await unrecordedTotal()).toBe(before + 1)
      await eventually(async () => {
        const found = await t.call('GET', `/v1/decisions/${body.decision_id}`, {
          token: t.first.api_key,
        })
        expect(found).toMatchObject({
          status: 200,
          body: { decision: given.decision, receipt: body.receipt },
        })
      })
    },
  )
})

describe('an escalation', () => {
  it('is opened with its decision, or not at all', async () => {
    const agentId = await agentWith('rejected', false)
    const path = `/v1/escalations?agent_id=${agentId}`
    const token = t.first.api_key
    // The database rejects the decision after everything else of its transaction.
    await client.query(`create function refuse_test() returns trigger language plpgsql
      as $$ begin raise exception 'no more decisions'; end $$`)
    await client.query(`create constraint trigger refuse_test after insert on decision
      deferrable initially deferred for each row execute function refuse_test()`)
    expect((await decide(agentId, 'refund')).status).toBe(500)
    await client.query('drop trigger refuse_test on decision')
    expect((await t.call('GET', path, { token })).body.escalations).toEqual([])
    const events = await client.query(
      `select 1 from event where type = 'trace.escalation_required'
        and data -> 'trace' ->> 'agent_id' = $1`,
      [agentId],
    )
    expect(events.rowCount).toBe(0)

    const answer = (await (await decide(agentId, 'refund')).json()) as Decided
    const { escalations } = (await t.call('GET', path, { token })).body
    expect(escalations).toMatchObject([{ decision_id: answer.decision_id, status: 'pending' }])
  })
})
