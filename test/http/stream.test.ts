import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf } from '#harness/checkpoints.ts'
import { eventually } from '#harness/eventually.ts'
import { foreignKey } from '#harness/foreign-key.ts'
import { listen } from '#harness/stream.ts'

let t: TestApp
let other: TestApp
let url: string
let otherUrl: string
let key: string
let count = 0

const addressOf = async (app: TestApp) => {
  await app.app.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.app.server.server.address() as AddressInfo
  return `http://127.0.0.1:${port}/v1/orgs/${t.first.org_id}/stream`
}

beforeAll(async () => {
  t = await testApp()
  other = await testApp({ databaseUrl: t.databaseUrl, clock: t.clock })
  url = await addressOf(t)
  otherUrl = await addressOf(other)
  key = t.first.api_key
})

const newAgent = async () => {
  count += 1
  const body = { agent_id: `streamed-agent-${count}`, card: CARD }
  await t.call('POST', '/v1/agents', { token: key, body })
  return body.agent_id
}

const decide = async (agentId: string, at = t) => {
  count += 1
  const body = { thinking: textOf(count), session_id: 's' }
  const answer = await at.call('POST', `/v1/agents/${agentId}/checkpoints`, { token: key, body })
  return answer.body.checkpoint.checkpoint_id as string
}

describe('the stream of an organisation', () => {
  it('tells of a checkpoint at once, by id and verdict, and of nothing written in it', async () => {
    const agentId = await newAgent()
    const stream = await listen(url, key)
    expect(stream.status).toBe(200)
    await stream.hears('open')
    const checkpointId = await decide(agentId)
    const heard = await stream.hears('integrity.checkpoint')
    expect(heard.id).toMatch(/^evt-/)
    expect(heard.data).toEqual({
      type: 'integrity.checkpoint',
      time: t.clock.now().toISOString(),
      agent_id: agentId,
      checkpoint_id: checkpointId,
      session_id: 's',
      verdict: 'clear',
      synthetic: false,
    })
  })

  it('tells what another node did, and of decisions and answered questions too', async () => {
    const agentId = await newAgent()
    const policy = {
      meta: { schema_version: '1.0', name: 'Refunds', scope: 'agent' },
      capability_mappings: { all: { tools: ['search', 'refund'], card_actions: ['search'] } },
      escalation_triggers: [{ condition: "tool == 'refund'", action: 'escalate', reason: 'Ask' }],
      defaults: { enforcement_mode: 'enforce' },
    }
    const put = await t.call('PUT', `/v1/agents/${agentId}/policy`, { token: key, body: policy })
    expect(put.status, put.text).toBeLessThan(300)
    const stream = await listen(otherUrl, key)
    await stream.hears('open')
    const checkpointId = await decide(agentId)
    await stream.hears('integrity.checkpoint', (one) => one.data.checkpoint_id === checkpointId)
    const ask = (tool: string) =>
      t.call('POST', '/v1/gateway/decide', { token: key, body: { agent_id: agentId, tool } })
    const allowed = await ask('search')
    const { data } = await stream.hears(
      'gateway.decision',
      (one) => one.data.decision_id === allowed.body.decision_id,
    )
    expect(data).toMatchObject({ agent_id: agentId, tool: 'search', decision: 'allow' })
    const escalated = await ask('refund')
    expect(escalated.body.decision).toBe('escalate')
    const escalationId = escalated.body.escalation_id
    await stream.hears('gateway.decision', (one) => one.data.escalation_id === escalationId)
    await stream.hears('trace.escalation_required', (one) => one.data.agent_id === agentId)
    await t.call('POST', `/v1/escalations/${escalationId}/resolve`, {
      token: key,
      body: { outcome: 'approve' },
    })
    const resolved = await stream.hears('escalation.resolved')
    expect(resolved.data).toMatchObject({ escalation_id: escalationId, status: 'approved' })
  })

  it('tells each event once, though it looks for what it may have missed at its beginning', async () => {
    const agentId = await newAgent()
    const stream = await listen(otherUrl, key)
    const ids = [await decide(agentId), await decide(agentId, other)]
    for (const id of ids) {
      await stream.hears('integrity.checkpoint', (one) => one.data.checkpoint_id === id)
    }
    // What comes after the look, which is two seconds after the beginning, is heard as usual.
    await eventually(() => expect(stream.heard().filter((h) => h.event === 'open')).toHaveLength(1))
    const told = stream.heard().map((one) => one.id)
    expect(new Set(told.filter((id) => id !== undefined)).size).toBe(
      told.filter((id) => id !== undefined).length,
    )
  })

  it('goes on after the last event heard, on any node, and tells nobody twice', async () => {
    const agentId = await newAgent()
    const stream = await listen(url, key)
    await stream.hears('open')
    const first = await decide(agentId)
    const { id } = await stream.hears(
      'integrity.checkpoint',
      (one) => one.data.checkpoint_id === first,
    )
    stream.leave()
    t.clock.advance(60_000)
    const missed = [await decide(agentId), await decide(agentId)]
    const again = await listen(otherUrl, key, { 'last-event-id': id ?? '' })
    await again.hears('resumed')
    for (const checkpointId of missed) {
      await again.hears('integrity.checkpoint', (one) => one.data.checkpoint_id === checkpointId)
    }
    expect(again.heard().some((one) => one.id === id)).toBe(false)
  })

  it('says reset after an id that the organisation does not have', async () => {
    for (const id of ['evt-00000000-0000-4000-8000-000000000000', 'nonsense', "' or 1=1"]) {
      const stream = await listen(url, key, { 'last-event-id': id })
      await stream.hears('reset')
      stream.leave()
    }
  })

  it('begins only for those who ask for events, and never for HEAD', async () => {
    const path = new URL(url).pathname
    expect((await t.call('GET', path, { token: key })).status).toBe(400)
    const headers = { accept: 'text/event-stream' }
    expect((await t.call('HEAD', path, { token: key, headers })).status).toBe(400)
    expect((await t.call('GET', path, { headers })).status).toBe(401)
  })

  it('is not there for another organisation, whose own stream tells nothing of this one', async () => {
    const foreign = await foreignKey(t)
    expect((await listen(url, foreign)).status).toBe(404)
    const { rows } = await sql<{ org_id: string }>`select org_id from org
      where slug = 'elsewhere'`.execute(t.app.kernel.db)
    const theirs = await listen(url.replace(t.first.org_id, rows[0]?.org_id ?? ''), foreign)
    const ours = await listen(url, key)
    await ours.hears('open')
    await decide(await newAgent())
    const ourId = (await ours.hears('integrity.checkpoint')).id ?? ''
    const asked = await listen(url.replace(t.first.org_id, rows[0]?.org_id ?? ''), foreign, {
      'last-event-id': ourId,
    })
    await asked.hears('reset')
    await theirs.hears('open')
    const agentId = await newAgent()
    await decide(agentId)
    await ours.hears('integrity.checkpoint', (one) => one.data.agent_id === agentId)
    expect(theirs.heard().map((one) => one.event)).toEqual(['open'])
  })
})

describe('a stream ends', () => {
  it('when its key is revoked, its member leaves, or the token expires', async () => {
    const owner = await t.ownerToken()
    const org = t.first.org_id
    const made = await t.call('POST', `/v1/orgs/${org}/api-keys`, {
      token: owner,
      body: { role: 'auditor', scopes: ['read'] },
    })
    const member = await t.newUser('stream-member@example.com', { orgId: org, role: 'member' })
    const byKey = await listen(url, made.body.key)
    const byMember = await listen(otherUrl, member.token)
    const stays = await listen(url, key)
    await Promise.all([byKey, byMember, stays].map((one) => one.hears('open')))
    await t.call('DELETE', `/v1/orgs/${org}/api-keys/${made.body.key_id}`, { token: owner })
    await t.call('DELETE', `/v1/orgs/${org}/members/${member.userId}`, { token: owner })
    for (const stream of [byKey, byMember]) {
      expect((await stream.hears('end')).data).toEqual({ reason: 'credential' })
      await eventually(() => expect(stream.hasEnded()).toBe(true))
    }
    const byOwner = await listen(url, owner)
    await byOwner.hears('open')
    t.clock.advance(2 * 3_600_000)
    await byOwner.hears('end')
    expect(stays.hasEnded()).toBe(false)
  })

  it('when its reader does not keep up, without harm to others', async () => {
    const slow = await listen(url, key)
    await slow.hears('open')
    slow.pause()
    const { kernel } = t.app
    const about = { orgId: t.first.org_id, accountId: 'ba' }
    const data = { team_id: 'x'.repeat(2000), org_id: '', name: '' }
    const flood = () =>
      kernel.db.transaction().execute((tx) =>
        kernel.events.emitAll(
          tx,
          Array.from({ length: 1000 }, () => ({ ...about, type: 'team.archived' as const, data })),
        ),
      )
    const quick = await listen(url, key)
    await quick.hears('open')
    // More than the buffers of two sockets take.
    for (let n = 1; n <= 8; n += 1) {
      await flood()
      await eventually(() => expect(quick.heard().length).toBeGreaterThan(100 * n))
    }
    slow.resume()
    await eventually(() => expect(slow.hasEnded()).toBe(true))
    expect(slow.heard().length).toBeLessThan(quick.heard().length)
    expect(quick.hasEnded()).toBe(false)
  })

  it('at a stop of its node, which says so and does not wait for the reader', async () => {
    const third = await testApp({ databaseUrl: t.databaseUrl, clock: t.clock })
    const stream = await listen(await addressOf(third), key)
    await stream.hears('open')
    await third.app.server.close()
    expect((await stream.hears('end')).data).toEqual({ reason: 'shutdown' })
    await eventually(() => expect(stream.hasEnded()).toBe(true))
  })

  it('counts: one organisation cannot hold more than its share', async () => {
    const held = []
    for (;;) {
      const stream = await listen(otherUrl, key)
      if (stream.status === 429) break
      held.push(stream)
      expect(held.length).toBeLessThanOrEqual(50)
    }
    for (const stream of held) stream.leave()
    await eventually(async () => {
      const stream = await listen(otherUrl, key)
      stream.leave()
      expect(stream.status).toBe(200)
    })
  })
})
