import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, type TestUser, testApp } from '#harness/app.ts'
import { answerWith, type Receiver, startReceiver } from '#harness/receiver.ts'

const POLICY = {
  meta: { schema_version: '1.0', name: 'shop', scope: 'agent' },
  capability_mappings: { shop: { tools: ['refund'], card_actions: ['serve'] } },
  escalation_triggers: [
    { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds are for people' },
  ],
  defaults: { enforcement_mode: 'enforce' },
}

let t: TestApp
let owner: string
let url: string
let slack: Receiver
let teams: Receiver
let admin: TestUser
let count = 0

beforeAll(async () => {
  t = await testApp({ env: { ALLOW_LOOPBACK_EGRESS: 'true' } })
  owner = await t.ownerToken()
  url = `/v1/orgs/${t.first.org_id}/approval-channels`
  slack = await startReceiver()
  teams = await startReceiver()
  admin = await t.newUser('channel-admin@example.com', { orgId: t.first.org_id, role: 'admin' })
  const token = t.first.api_key
  await t.call('POST', '/v1/agents', { token, body: { agent_id: 'teller', name: 'Shop desk' } })
  await t.call('PUT', '/v1/agents/teller/policy', { token, body: POLICY })
})

const put = (body: object, token = owner) => t.call('PUT', url, { token, body })

/** Escalates a new call and delivers its messages. */
async function escalate(args: object = { amount: 60 }): Promise<string> {
  count += 1
  const body = { agent_id: 'teller', tool: 'refund', session_id: `s-${count}`, arguments: args }
  const decided = await t.call('POST', '/v1/gateway/decide', { token: t.first.api_key, body })
  expect(decided.body.decision).toBe('escalate')
  await t.settle()
  return decided.body.escalation_id
}

async function mails(): Promise<string[]> {
  const dir = join(t.dataDir, 'outbox')
  const names = await readdir(dir).catch(() => [])
  const texts = await Promise.all(names.map((name) => readFile(join(dir, name), 'utf8')))
  return texts.filter((text) => text.includes('Approval needed'))
}

describe('the approval channels of an organisation', () => {
  it('are empty until they are set, and are replaced as a whole', async () => {
    const none = { email: [], slack_webhook_url: null, teams_webhook_url: null }
    expect(await t.call('GET', url, { token: owner })).toMatchObject({ status: 200, body: none })
    await escalate()
    const all = {
      email: [admin.userId],
      slack_webhook_url: slack.url,
      teams_webhook_url: teams.url,
    }
    expect(await put(all)).toMatchObject({ status: 200, body: all })
    expect((await t.call('GET', url, { token: admin.token })).body).toEqual(all)
    const log = await t.call(
      'GET',
      `/v1/orgs/${t.first.org_id}/audit-log?action=approval_channels.changed`,
      { token: owner },
    )
    expect(log.body.total).toBe(1)
    expect(JSON.stringify(log.body)).not.toContain(slack.url)
    const stored = await sql<{
      row: string
    }>`select e::text as row from webhook_endpoint e`.execute(t.app.kernel.db)
    expect(stored.rows).toHaveLength(2)
    expect(JSON.stringify(stored.rows)).not.toContain('/hook')
    const webhooks = await t.call('GET', `/v1/orgs/${t.first.org_id}/webhooks`, { token: owner })
    expect(webhooks.body.webhooks).toEqual([])
  })

  it('get one message about each new escalation', async () => {
    const before = (await mails()).length
    const escalationId = await escalate({ amount: 60, note: '<!channel> *now*' })
    await t.call('POST', '/v1/gateway/decide', {
      token: t.first.api_key,
      body: {
        agent_id: 'teller',
        tool: 'refund',
        session_id: `s-${count}`,
        arguments: { amount: 60, note: '<!channel> *now*' },
      },
    })
    await t.settle()
    const link = `http://localhost:8787/approvals/${escalationId}`
    for (const { received } of [slack, teams]) {
      expect(received).toHaveLength(1)
      const [{ body = '' } = {}] = received
      for (const part of ['Shop desk', 'refund', 'Refunds are for people', 'amount', link]) {
        expect(body).toContain(part)
      }
    }
    expect(slack.received[0]?.body).not.toContain('<!channel>')
    const sent = (await mails()).slice(before)
    expect(sent).toHaveLength(1)
    expect(sent[0]).toContain('channel-admin@example.com')
    expect(sent[0]).toContain(link)
  })

  it('are in the delivery log, without the arguments, and are retried', async () => {
    slack.answer(answerWith(500))
    const at = slack.received.length
    await escalate({ secret: 'Zanzibar-4711' })
    const deliveries = `/v1/orgs/${t.first.org_id}/webhooks/deliveries?status=retrying`
    const [retrying] = (await t.call('GET', deliveries, { token: owner })).body.deliveries
    expect(retrying).toMatchObject({ attempt_count: 1, last_response_status: 500 })
    slack.answer(answerWith(200))
    t.clock.advance(20_000)
    await t.settle()
    expect(slack.received).toHaveLength(at + 2)
    expect(slack.received.at(-1)?.body).toContain('Zanzibar-4711')
    const stored = await sql<{ body: string }>`select body from webhook_message`.execute(
      t.app.kernel.db,
    )
    expect(JSON.stringify(stored.rows)).not.toContain('Zanzibar')
  })

  it('are refused unless they are https addresses and members', async () => {
    const plain = { email: [], slack_webhook_url: 'http://hooks.slack.example/services/x' }
    expect(await put(plain)).toMatchObject({ status: 400, body: { error: 'url_not_allowed' } })
    expect(await put({ email: [], teams_webhook_url: 'no url' })).toMatchObject({ status: 400 })
    expect(await put({ email: ['user-none'] })).toMatchObject({
      status: 400,
      body: { details: [{ path: '/email/0' }] },
    })
    const many = Array.from({ length: 21 }, (_, at) => `user-${at}`)
    expect(await put({ email: many })).toMatchObject({ status: 400 })
    expect(await put({})).toMatchObject({ status: 400 })
  })

  it('are for owners and admins who are signed in', async () => {
    const member = await t.newUser('channel-member@example.com', {
      orgId: t.first.org_id,
      role: 'member',
    })
    for (const token of [member.token, t.first.api_key]) {
      expect((await t.call('GET', url, { token })).status).toBe(403)
      expect((await put({ email: [] }, token)).status).toBe(403)
    }
  })

  it('get nothing once they are removed', async () => {
    expect((await put({ email: [] })).body).toMatchObject({ slack_webhook_url: null })
    const counts = [slack.received.length, teams.received.length, (await mails()).length]
    await escalate()
    expect([slack.received.length, teams.received.length, (await mails()).length]).toEqual(counts)
  })
})
