import { hexToBytes } from '@touchstone/protocol/base'
import { verifyBundle } from '@touchstone/protocol/bundle'
import { certificateHash, verifyCertificate } from '@touchstone/protocol/evidence'
import {
  opensLogEntry,
  parseTlogPolicy,
  parseTlogProof,
  verifyByPolicy,
  verifyTlogProof,
  writeLogEntry,
} from '@touchstone/protocol/log'
import { verifyReceiptLog } from '@touchstone/protocol/policy'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf, VIOLATION } from '#harness/checkpoints.ts'

let t: TestApp

const JSON_ACCEPTED = { accept: 'application/json' }

const ok = async (method: string, url: string, body?: unknown, token = t.first.api_key) => {
  const answer = await t.call(method, url, { token, ...(body === undefined ? {} : { body }) })
  expect(answer.status, `${method} ${url}: ${answer.text}`).toBeLessThan(300)
  return answer.body
}

const policyOf = async () => {
  const { text } = await t.call('GET', '/v1/log/policy')
  const policy = parseTlogPolicy(text)
  if (!policy.ok) throw new Error(policy.reason)
  return policy.value
}

/** Reads the proof of a record and verifies it, and everything that came with it. */
const proofOf = async (
  recordId: string,
  type?: string,
  token: string | undefined = t.first.api_key,
) => {
  const query = type === undefined ? '' : `?type=${type}`
  const url = `/v1/log/proof/${encodeURIComponent(recordId)}${query}`
  const { status, body, text } = await t.call('GET', url, { token, headers: JSON_ACCEPTED })
  expect(status, text).toBe(200)
  const proof = parseTlogProof(body.proof)
  if (!proof.ok) throw new Error(proof.reason)
  const entry = writeLogEntry(body.entry)
  const verified = verifyTlogProof(proof.value, { entry, policy: await policyOf() })
  expect(verified).toMatchObject({ ok: true })
  const opening = { nonce: hexToBytes(body.nonce), record: body.record }
  expect(opensLogEntry(body.entry, opening)).toBe(true)
  expect(body.index).toBe(proof.value.index)
  return body
}

beforeAll(async () => {
  t = await testApp()
  await ok('POST', '/v1/agents', { agent_id: 'clerk', card: CARD })
})

describe('the checkpoint of the log', () => {
  it('is a signed note that the policy verifies', async () => {
    await t.app.sequenceLog()
    const answer = await t.call('GET', '/log/checkpoint')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-store')
    const trusted = verifyByPolicy(answer.text, await policyOf())
    expect(trusted).toMatchObject({ ok: true, value: { origin: 'localhost:8787/log' } })
  })

  it('can be read by pages of other origins', async () => {
    const headers = { origin: 'https://verifier.example' }
    const answer = await t.call('GET', '/log/checkpoint', { headers })
    expect(answer.headers['access-control-allow-origin']).toBe('*')
  })

  it('is signed by a key of its own, published with its use', async () => {
    const { keys } = (await t.call('GET', '/v1/keys')).body
    const [own] = keys.filter(({ use }: { use: string }) => use === 'log')
    const [log] = (await policyOf()).logs
    expect(own.public_key).toBe(Buffer.from(log?.key.publicKey ?? []).toString('hex'))
    expect(keys.filter(({ use }: { use: string }) => use === 'sig')).toHaveLength(1)
  })
})

describe('records in the log', () => {
  let decisionId: string
  let checkpointId: string

  beforeAll(async () => {
    const decided = await ok('POST', '/v1/gateway/decide', { agent_id: 'clerk', tool: 'search' })
    decisionId = decided.decision_id
    const checkpoints = Array.from({ length: 3 }, (_, n) => ({
      agent_id: 'clerk',
      session_id: 's1',
      thinking: textOf(n, n === 1 ? VIOLATION : ''),
    }))
    const { results } = await ok('POST', '/v1/checkpoints/batch', { checkpoints })
    checkpointId = results[1].checkpoint_id
  })

  it('are not proven before the next round', async () => {
    const url = `/v1/log/proof/${checkpointId}`
    const answer = await t.call('GET', url, { token: t.first.api_key })
    expect(answer.status).toBe(409)
    expect(answer.body).toMatchObject({ error: 'not_yet_logged', age_ms: 0 })
  })

  it('are entered and proven', async () => {
    await t.app.sequenceLog()
    const { record, entry, index } = await proofOf(checkpointId)
    expect(record).toMatchObject({ checkpoint_id: checkpointId, agent_id: 'clerk', position: 1 })
    expect(entry.type).toBe('checkpoint')
    expect((await ok('GET', `/v1/checkpoints/${checkpointId}`)).log_index).toBe(index)
    const { checkpoints } = await ok('GET', '/v1/agents/clerk/checkpoints')
    expect(checkpoints.map((one: { log_index: number }) => one.log_index)).toContain(index)
  })

  it('are proven for a decision by the head of its batch', async () => {
    const decision = await ok('GET', `/v1/decisions/${decisionId}`)
    const { record, index } = await proofOf(decisionId)
    expect(record.root).toBe(decision.receipt.batch.root)
    expect(decision.log_index).toBe(index)
    const listed = await ok('GET', '/v1/decisions')
    expect(listed.decisions[0].log_index).toBe(index)
  })

  it('are shown with the proof of the batch beside the receipt', async () => {
    const { receipt, log, log_index } = await ok('GET', `/v1/decisions/${decisionId}`)
    const policy = await policyOf()
    expect(verifyReceiptLog(receipt, log, policy)).toMatchObject({
      ok: true,
      value: { index: log_index },
    })
    const other = { ...receipt, batch: { ...receipt.batch, size: 2 } }
    expect(verifyReceiptLog(other, log, policy)).toMatchObject({ ok: false })
    expect(verifyReceiptLog(receipt, { ...log, nonce: '00'.repeat(32) }, policy)).toMatchObject({
      ok: false,
    })
  })

  it('are shown with their proof beside the certificate, which stays as it was', async () => {
    const url = `/v1/checkpoints/${checkpointId}/certificate`
    const certificate = await ok('GET', url)
    const { log, ...issued } = certificate
    const { body } = await t.call('POST', '/v1/verify', { body: { certificate } })
    expect(body).toMatchObject({ valid: true, checks: { log: { valid: true, index: log.index } } })
    const alone = await t.call('POST', '/v1/verify', { body: { certificate: issued } })
    expect(alone.body).toMatchObject({ valid: true })
    expect(alone.body.checks).not.toHaveProperty('log')
    expect(certificateHash(certificate)).toBe(certificateHash(issued))
    const { results } = await ok('POST', '/v1/checkpoints/batch', {
      checkpoints: [{ agent_id: 'clerk', session_id: 's1', thinking: textOf(70) }],
    })
    const unlogged = await ok('GET', `/v1/checkpoints/${results[0].checkpoint_id}/certificate`)
    expect(unlogged).not.toHaveProperty('log')
    const exchanged = { ...unlogged, log }
    const refused = await t.call('POST', '/v1/verify', { body: { certificate: exchanged } })
    expect(refused.body).toMatchObject({ valid: false, checks: { log: { valid: false } } })
    expect(refused.body.details).toMatch(/log: the record is not that of this checkpoint$/)
  })

  it('are proven for what came of a decision, by its own id and type', async () => {
    await ok('POST', `/v1/decisions/${decisionId}/outcome`, { status: 'executed' })
    await t.app.sequenceLog()
    const { record } = await proofOf(decisionId, 'outcome')
    const nothing = { duration_ms: null, error: null, result_hash: null }
    expect(record).toMatchObject({ decision_id: decisionId, status: 'executed', ...nothing })
  })

  it('are proven for approvals, each by its number', async () => {
    const rule = { condition: "tool == 'refund'", action: 'escalate', reason: 'People refund' }
    const policy = {
      meta: { schema_version: '1.0', name: 'Rules', scope: 'agent' },
      capability_mappings: {},
      forbidden: [],
      escalation_triggers: [rule],
      defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
    }
    const owner = await t.ownerToken()
    await ok('PUT', '/v1/agents/clerk/enforcement', { mode: 'enforce' }, owner)
    const saved = await ok('PUT', '/v1/agents/clerk/policy', policy)
    const call = { agent_id: 'clerk', tool: 'refund', arguments: { amount: 5 } }
    const asked = await ok('POST', '/v1/gateway/decide', call)
    const url = `/v1/escalations/${asked.escalation_id}/resolve`
    await ok('POST', url, { outcome: 'approve' }, owner)
    await t.app.sequenceLog()
    const { record, entry } = await proofOf(`${asked.escalation_id}/1`)
    expect(entry.type).toBe('approval')
    expect(record).toMatchObject({
      escalation_id: asked.escalation_id,
      outcome: 'approve',
      scope: 'call',
      arguments_hash: asked.receipt.statement.arguments_hash,
    })
    const { record: version } = await proofOf(`${saved.id}/${saved.version}`)
    expect(version).toMatchObject({ scope: 'agent', version: saved.version })
  })

  it('are proven for containment, reclassifications, scores and keys', async () => {
    const owner = await t.ownerToken()
    const org = `/v1/orgs/${t.first.org_id}/agents/clerk`
    await ok('POST', `${org}/pause`, { reason: 'A look at it.' }, owner)
    await ok('POST', `${org}/resume`, { reason: 'It is fine.' }, owner)
    const { log } = await ok('GET', `${org}/containment`, undefined, owner)
    const given = { checkpoint_id: checkpointId, reason: 'The card lacked it.' }
    const reclassified = await ok('POST', '/v1/agents/clerk/reclassify', given, owner)
    const many = Array.from({ length: 60 }, (_, n) => ({
      agent_id: 'clerk',
      session_id: `s${n % 9}`,
      thinking: textOf(100 + n),
    }))
    for (const at of [0, 30]) {
      await ok('POST', '/v1/checkpoints/batch', { checkpoints: many.slice(at, at + 30) })
    }
    await ok('POST', '/v1/reputation/clerk/recompute')
    const score = await ok('GET', '/v1/reputation/clerk')
    const { keys } = (await t.call('GET', '/v1/keys')).body
    await t.app.sequenceLog()
    const contained = await proofOf(log[0].id)
    expect(contained.record).toEqual({ agent_id: 'clerk', entry_hash: log[0].entry_hash })
    const id = reclassified.reclassification_id
    expect((await proofOf(id)).record.checkpoint_id).toBe(checkpointId)
    const bundle = await t.call('GET', '/v1/reputation/clerk/bundle')
    const { keys: known } = (await t.call('GET', '/v1/keys')).body
    const lines = bundle.text.split('\n').filter((line: string) => line !== '')
    expect(await verifyBundle(lines, known)).toMatchObject({ ok: true })
    const [{ value: latest }] = lines
      .map((line: string) => JSON.parse(line))
      .filter(({ kind }: { kind: string }) => kind === 'certificate')
    expect(verifyCertificate(latest, known, await policyOf())).toMatchObject({
      verification: { valid: true, checks: { log: { valid: true, cosigned_by: [] } } },
    })
    const published = await proofOf(`clerk/${score.computed_at}`)
    expect(published.record).toMatchObject({ score: score.score, grade: score.grade })
    for (const { key_id, public_key } of keys) {
      const { record } = await proofOf(`${key_id}/published`, undefined, '')
      expect(record).toMatchObject({ key_id, public_key, event: 'published' })
    }
  })

  it('are proven to nobody else, except what everybody sees', async () => {
    const stranger = await t.newUser('stranger@example.com')
    for (const token of [stranger.token, undefined]) {
      const url = `/v1/log/proof/${decisionId}`
      const answer = await t.call('GET', url, token === undefined ? {} : { token })
      expect(answer.status).toBe(404)
    }
    const unknown = await t.call('GET', '/v1/log/proof/nothing', { token: t.first.api_key })
    expect(unknown.status).toBe(404)
  })

  it('are proven as text by default', async () => {
    const url = `/v1/log/proof/${checkpointId}`
    const answer = await t.call('GET', url, { token: t.first.api_key })
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(answer.text).toMatch(/^c2sp\.org\/tlog-proof@v1\nextra /)
  })
})

describe('consistency of the log', () => {
  it('is proven between sizes that were published, and no others', async () => {
    const { body } = await t.call('GET', '/v1/log/consistency?from=1')
    expect(body.from).toBe(1)
    expect(body.hashes.length).toBeGreaterThan(0)
    expect((await t.call('GET', '/v1/log/consistency?from=0')).body.hashes).toEqual([])
    const wrong = ['from=2&to=1', `from=1&to=${body.to + 1}`, 'from=-1', 'to=2']
    for (const query of wrong) {
      expect((await t.call('GET', `/v1/log/consistency?${query}`)).status, query).toBe(400)
    }
  })
})
