import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf } from '#harness/checkpoints.ts'
import { eventually } from '#harness/eventually.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'
import { openStream } from '#harness/stream.ts'

let t: TestApp
let other: TestApp
let url: string
let otherUrl: string
let key: string
let count = 0

const streamWaits = { recheckMs: 200, settledMs: 400 }

const addressOf = async (app: TestApp) => {
  await app.app.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.app.server.server.address() as AddressInfo
  return `http://127.0.0.1:${port}/v1/orgs/${t.first.org_id}/stream`
}

beforeAll(async () => {
  t = await testApp({ streamWaits })
  other = await testApp({ databaseUrl: t.databaseUrl, clock: t.clock, streamWaits })
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

const postCheckpoint = async (agentId: string, at = t) => {
  count += 1
  const body = { thinking: textOf(count), session_id: 's' }
  const answer = await at.call('POST', `/v1/agents/${agentId}/checkpoints`, { token: key, body })
  return answer.body.checkpoint.checkpoint_id as string
}

/**
 * Opens a stream and waits for an event from before it was opened. Usually the stream's look for
 * missed events finds it; if the event was still on its way, it arrives live before that look.
 */
async function openSettledStream() {
  const missed = await postCheckpoint(await newAgent())
  const stream = await openStream(url, key)
  await stream.waitFor('integrity.checkpoint', (one) => one.data.checkpoint_id === missed)
  return stream
}

describe('the stream of an organisation', () => {
  it("sends a checkpoint's id and verdict immediately, and none of its texts", async () => {
    const agentId = await newAgent()
    const stream = await openStream(url, key)
    expect(stream.status).toBe(200)
    await stream.waitFor('open')
    const checkpointId = await postCheckpoint(agentId)
    const event = await stream.waitFor('integrity.checkpoint')
    expect(event.id).toMatch(/^evt-/)
    expect(event.data).toEqual({
      type: 'integrity.checkpoint',
      time: t.clock.now().toISOString(),
      agent_id: agentId,
      checkpoint_id: checkpointId,
      session_id: 's',
      verdict: 'clear',
      synthetic: false,
    })
  })

  it('sends events of other nodes, and of decisions and resolved escalations', async () => {
    const agentId = await newAgent()
    const policy = {
      meta: { schema_version: '1.0', name: 'Refunds', scope: 'agent' },
      capability_mappings: { all: { tools: ['search', 'refund'], card_actions: ['search'] } },
      escalation_triggers: [{ condition: "tool == 'refund'", action: 'escalate', reason: 'Ask' }],
      defaults: { enforcement_mode: 'enforce' },
    }
    const put = await t.call('PUT', `/v1/agents/${agentId}/policy`, { token: key, body: policy })
    expect(put.status, put.text).toBeLessThan(300)
    const stream = await openStream(otherUrl, key)
    await stream.waitFor('open')
    const checkpointId = await postCheckpoint(agentId)
    await stream.waitFor('integrity.checkpoint', (one) => one.data.checkpoint_id === checkpointId)
    const ask = (tool: string) =>
      t.call('POST', '/v1/gateway/decide', { token: key, body: { agent_id: agentId, tool } })
    const allowed = await ask('search')
    const { data } = await stream.waitFor(
      'gateway.decision',
      (one) => one.data.decision_id === allowed.body.decision_id,
    )
    expect(data).toEqual({
      type: 'gateway.decision',
      time: t.clock.now().toISOString(),
      decision_id: allowed.body.decision_id,
      agent_id: agentId,
      session_id: null,
      tool: 'search',
      decision: 'allow',
      source: 'api',
      enforced: true,
      reasons: [],
      escalation_id: null,
    })
    const escalated = await ask('refund')
    expect(escalated.body.decision).toBe('escalate')
    const escalationId = escalated.body.escalation_id
    const stopped = await stream.waitFor(
      'gateway.decision',
      (one) => one.data.escalation_id === escalationId,
    )
    const [{ code, message }] = escalated.body.reasons
    expect(stopped.data.reasons).toEqual([{ code, message }])
    await stream.waitFor('decision.escalated', (one) => one.data.escalation_id === escalationId)
    await stream.waitFor('trace.escalation_required', (one) => one.data.agent_id === agentId)
    await t.call('POST', `/v1/escalations/${escalationId}/resolve`, {
      token: await t.ownerToken(),
      body: { outcome: 'approve' },
    })
    const resolved = await stream.waitFor('escalation.resolved')
    expect(resolved.data).toMatchObject({ escalation_id: escalationId, status: 'approved' })
  })

  it('sends each event once, even though it looks for missed events after it starts', async () => {
    const agentId = await newAgent()
    const missed = await postCheckpoint(agentId)
    const stream = await openStream(otherUrl, key)
    const ids = [await postCheckpoint(agentId), await postCheckpoint(agentId, other), missed]
    for (const id of ids) {
      await stream.waitFor('integrity.checkpoint', (one) => one.data.checkpoint_id === id)
    }
    const sentIds = stream.events().flatMap((one) => one.id ?? [])
    expect(new Set(sentIds).size).toBe(sentIds.length)
  })

  it('replays the last decisions before live ones, oldest first and none twice', async () => {
    const agentId = await newAgent()
    const ask = async (tool: string): Promise<string> => {
      const body = { agent_id: agentId, tool }
      return (await t.call('POST', '/v1/gateway/decide', { token: key, body })).body.decision_id
    }
    const before: string[] = []
    const probe = await openStream(otherUrl, key)
    await probe.waitFor('open')
    for (const tool of ['r1', 'r2', 'r3', 'r4']) before.push(await ask(tool))
    // Another reader has them, so their messages are no longer on their way.
    for (const id of before) {
      await probe.waitFor('gateway.decision', (one) => one.data.decision_id === id)
    }
    const stream = await openStream(`${otherUrl}?replay=3`, key)
    const live = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(`live${n}`)))
    await stream.waitFor('open')
    for (const id of live) {
      await stream.waitFor('gateway.decision', (one) => one.data.decision_id === id)
    }
    // The look for missed decisions is over.
    await new Promise((resolve) => setTimeout(resolve, 3 * streamWaits.settledMs))
    const sent = stream
      .events()
      .filter((one) => one.event === 'gateway.decision')
      .map((one) => one.data.decision_id)
    expect(new Set(sent).size).toBe(sent.length)
    const replayed = sent.slice(0, 3)
    expect(replayed).toEqual([...before, ...live].filter((id) => replayed.includes(id)))
    expect(sent).not.toContain(before[0])
    const none = await openStream(url, key)
    await none.waitFor('open')
    expect(none.events().filter((one) => one.event === 'gateway.decision')).toEqual([])
    for (const replay of ['-1', '51', 'all']) {
      const path = `${new URL(url).pathname}?replay=${replay}`
      const headers = { accept: 'text/event-stream' }
      expect((await t.call('GET', path, { token: key, headers })).status, replay).toBe(400)
    }
  })

  it('resumes after the last event id on any node, without repeating events', async () => {
    const agentId = await newAgent()
    const stream = await openStream(url, key)
    await stream.waitFor('open')
    const first = await postCheckpoint(agentId)
    const { id } = await stream.waitFor(
      'integrity.checkpoint',
      (one) => one.data.checkpoint_id === first,
    )
    stream.disconnect()
    t.clock.advance(60_000)
    const missed = [await postCheckpoint(agentId), await postCheckpoint(agentId)]
    const again = await openStream(otherUrl, key, { 'last-event-id': id ?? '' })
    await again.waitFor('resumed')
    for (const checkpointId of missed) {
      await again.waitFor('integrity.checkpoint', (one) => one.data.checkpoint_id === checkpointId)
    }
    expect(again.events().some((one) => one.id === id)).toBe(false)
  })

  it('sends reset for an id that the organisation does not have', async () => {
    for (const id of ['evt-00000000-0000-4000-8000-000000000000', 'nonsense', "' or 1=1"]) {
      const stream = await openStream(url, key, { 'last-event-id': id })
      await stream.waitFor('reset')
      stream.disconnect()
    }
  })

  it('starts only for requests that accept events, and never for HEAD', async () => {
    const path = new URL(url).pathname
    expect((await t.call('GET', path, { token: key })).status).toBe(400)
    const headers = { accept: 'text/event-stream' }
    expect((await t.call('HEAD', path, { token: key, headers })).status).toBe(400)
    expect((await t.call('GET', path, { headers })).status).toBe(401)
  })

  it('is 404 for another organisation, whose own stream contains none of these events', async () => {
    const foreign = await otherOrgKey(t)
    expect((await openStream(url, foreign)).status).toBe(404)
    const { rows } = await sql<{ org_id: string }>`select org_id from org
      where slug = 'elsewhere'`.execute(t.app.kernel.db)
    const theirs = await openStream(url.replace(t.first.org_id, rows[0]?.org_id ?? ''), foreign)
    const ours = await openStream(url, key)
    await ours.waitFor('open')
    await postCheckpoint(await newAgent())
    const ourId = (await ours.waitFor('integrity.checkpoint')).id ?? ''
    const asked = await openStream(url.replace(t.first.org_id, rows[0]?.org_id ?? ''), foreign, {
      'last-event-id': ourId,
    })
    await asked.waitFor('reset')
    await theirs.waitFor('open')
    const agentId = await newAgent()
    await postCheckpoint(agentId)
    await ours.waitFor('integrity.checkpoint', (one) => one.data.agent_id === agentId)
    expect(theirs.events().map((one) => one.event)).toEqual(['open'])
  })
})

describe('a stream ends', () => {
  it('when its key is revoked, its member leaves, or its token expires', async () => {
    const owner = await t.ownerToken()
    const org = t.first.org_id
    const created = await t.call('POST', `/v1/orgs/${org}/api-keys`, {
      token: owner,
      body: { role: 'auditor', scopes: ['read'] },
    })
    const member = await t.newUser('stream-member@example.com', { orgId: org, role: 'member' })
    const byKey = await openStream(url, created.body.key)
    const byMember = await openStream(otherUrl, member.token)
    const stays = await openStream(url, key)
    await Promise.all([byKey, byMember, stays].map((one) => one.waitFor('open')))
    await t.call('DELETE', `/v1/orgs/${org}/api-keys/${created.body.key_id}`, { token: owner })
    await t.call('DELETE', `/v1/orgs/${org}/members/${member.userId}`, { token: owner })
    for (const stream of [byKey, byMember]) {
      expect((await stream.waitFor('end')).data).toEqual({ reason: 'credential' })
      await eventually(() => expect(stream.hasEnded()).toBe(true))
    }
    const byOwner = await openStream(url, owner)
    await byOwner.waitFor('open')
    t.clock.advance(2 * 3_600_000)
    await byOwner.waitFor('end')
    expect(stays.hasEnded()).toBe(false)
  })

  it('when its reader is too slow, without affecting others', async () => {
    const [slow, quick] = [await openSettledStream(), await openSettledStream()]
    slow.pause()
    const { kernel } = t.app
    const about = { orgId: t.first.org_id, accountId: 'ba' }
    const data = { team_id: 'x'.repeat(2000), org_id: '', name: '' }
    const emit = (count: number) =>
      kernel.db.transaction().execute((tx) =>
        kernel.events.emitAll(
          tx,
          Array.from({ length: count }, () => ({ ...about, type: 'team.archived' as const, data })),
        ),
      )
    // Each round fits into the buffer of a reader that keeps up; all together exceed those of the
    // sockets and the stream of one that does not.
    // A stream may send an event twice around its look for missed events, with the same id.
    const received = () =>
      new Set(quick.events().flatMap(({ event, id }) => (event === 'team.archived' ? [id] : [])))
    for (let round = 1; round <= 120; round += 1) {
      await emit(50)
      await eventually(() => expect(received().size).toBe(50 * round))
    }
    slow.resume()
    await eventually(() => expect(slow.hasEnded()).toBe(true))
    expect(slow.events().length).toBeLessThan(quick.events().length)
    expect(quick.hasEnded()).toBe(false)
  })

  it('when its node stops, which announces it and does not wait for the reader', async () => {
    const third = await testApp({ databaseUrl: t.databaseUrl, clock: t.clock })
    const stream = await openStream(await addressOf(third), key)
    await stream.waitFor('open')
    await third.app.server.close()
    expect((await stream.waitFor('end')).data).toEqual({ reason: 'shutdown' })
    await eventually(() => expect(stream.hasEnded()).toBe(true))
  })

  it('count: an organisation cannot exceed its number of streams', async () => {
    const held = []
    for (;;) {
      const stream = await openStream(otherUrl, key)
      if (stream.status === 429) break
      held.push(stream)
      expect(held.length).toBeLessThanOrEqual(50)
    }
    for (const stream of held) stream.disconnect()
    await eventually(async () => {
      const stream = await openStream(otherUrl, key)
      stream.disconnect()
      expect(stream.status).toBe(200)
    })
  })
})
