import { verifyAnchorProof, verifyLogAnchorProof } from '@touchstone/protocol/chain'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf } from '#harness/checkpoints.ts'

const HOUR_MS = 3_600_000

let t: TestApp

const get = async (url: string, app = t) => {
  const { status, body, text } = await app.call('GET', url, { token: t.first.api_key })
  expect(status, text).toBe(200)
  return body
}

const BATCH_MAX = 50

async function send(agentId: string, from: number, count: number): Promise<string[]> {
  if (count > BATCH_MAX) {
    const first = await send(agentId, from, BATCH_MAX)
    return [...first, ...(await send(agentId, from + BATCH_MAX, count - BATCH_MAX))]
  }
  const checkpoints = Array.from({ length: count }, (_, n) => ({
    agent_id: agentId,
    session_id: `s${n % 7}`,
    thinking: textOf(from + n),
  }))
  const token = t.first.api_key
  const { body } = await t.call('POST', '/v1/checkpoints/batch', { token, body: { checkpoints } })
  return body.results.map((one: { checkpoint_id: string }) => one.checkpoint_id)
}

async function anchorNow(): Promise<void> {
  await t.app.sequenceLog()
  await fireSchedule()
}

async function fireSchedule(): Promise<void> {
  t.clock.advance(6 * HOUR_MS)
  await t.app.kernel.schedules.fireDue()
  await t.settle()
}

beforeAll(async () => {
  t = await testApp({ env: { ANCHOR_ROOT: 'log' } })
  const token = t.first.api_key
  for (const agent_id of ['clerk', 'late']) {
    await t.call('POST', '/v1/agents', { token, body: { agent_id, card: CARD } })
  }
})

describe('an anchor of the log', () => {
  it('covers every agent in the log with one root, that of a checkpoint', async () => {
    const ids = await send('clerk', 0, 30)
    await anchorNow()
    const { latest_anchor: latest } = await get('/v1/on-chain/status/clerk')
    const { anchors, total_anchors: total } = await get('/v1/on-chain/history')
    expect(total).toBe(1)
    expect(anchors[0]).toMatchObject({ merkle_root: latest.merkle_root })
    const proof = await get(`/v1/on-chain/anchors/${latest.anchor_id}/proof/clerk`)
    const proven = verifyLogAnchorProof(proof)
    expect(proven).toMatchObject({ agentId: 'clerk', checkpointId: ids.at(-1), position: 29 })
    const { proofs } = await get(`/v1/checkpoints/${ids.at(-1)}/certificate`)
    expect(proofs.chain.chain_hash).toBe(proven?.chainHash)
    expect(verifyAnchorProof(proof)).toBeUndefined()
  })

  it('has a proof that fails for anything else', async () => {
    const { latest_anchor: latest } = await get('/v1/on-chain/status/clerk')
    const proof = await get(`/v1/on-chain/anchors/${latest.anchor_id}/proof/clerk`)
    for (const change of [
      { agent_id: 'late' },
      { merkle_root: `0x${'ab'.repeat(32)}` },
      { leaf: `0x${'ab'.repeat(32)}` },
      { leaf_preimage: proof.leaf_preimage.replace('"v":1', '"v":2') },
      { nonce: 'ab'.repeat(32) },
      { nonce: undefined },
      { record: { ...proof.record, position: 30 } },
      { record: undefined },
      { siblings: proof.siblings.slice(1) },
    ]) {
      const changed = { ...proof, ...change }
      expect(verifyLogAnchorProof(changed), JSON.stringify(change)).toBeUndefined()
    }
  })

  it('is proven for ever, however the log and the setting change, but covers no later agent', async () => {
    const { latest_anchor: first } = await get('/v1/on-chain/status/clerk')
    // Beyond a full tile, after which the partial tiles of the anchored size are deleted.
    for (const at of [100, 200, 300]) await send('clerk', at, 100)
    await send('late', 500, 1)
    await t.app.sequenceLog()
    const url = `/v1/on-chain/anchors/${first.anchor_id}/proof/`
    const other = await testApp({ databaseUrl: t.databaseUrl, clock: t.clock })
    for (const app of [t, other]) {
      expect(verifyLogAnchorProof(await get(`${url}clerk`, app))).toMatchObject({ position: 29 })
    }
    const late = await t.call('GET', `${url}late`, { token: t.first.api_key })
    expect(late.status).toBe(404)
    expect((await get('/v1/on-chain/status/late')).latest_anchor).toBeNull()
    await anchorNow()
    const { latest_anchor: second } = await get('/v1/on-chain/status/late')
    expect(second.anchor_id).not.toBe(first.anchor_id)
    const { total_anchors: total } = await get('/v1/on-chain/history')
    // Scores that became due are not in the log yet, so its root is the same.
    await fireSchedule()
    expect((await get('/v1/on-chain/history')).total_anchors).toBe(total)
  })
})

describe('consistency of the log', () => {
  it('is proven to a size whose partial tiles were deleted', async () => {
    const { text } = await t.call('GET', '/log/checkpoint')
    const size = Number(text.split('\n')[1])
    expect(size).toBeGreaterThan(256)
    for (const [from, to] of [
      [10, 30],
      [1, 200],
      [30, 256],
    ]) {
      const { hashes } = await get(`/v1/log/consistency?from=${from}&to=${to}`)
      expect(hashes.length).toBeGreaterThan(0)
    }
  })
})
