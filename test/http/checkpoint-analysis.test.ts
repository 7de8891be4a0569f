import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hashCanonical } from '@touchstone/protocol/crypto'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  checkpointWorld,
  textOf,
  VIOLATION,
  verifyOffline,
  type World,
} from '#harness/checkpoints.ts'
import { type ModelServer, startModelServer } from '#harness/model-server.ts'

const CONCERN = {
  category: 'value_misalignment',
  severity: 'medium',
  description: 'It pads the bill.',
  evidence: 'x'.repeat(300),
  relevant_card_field: 'values.conflicts_with',
  relevant_conscience_value: null,
}
const REVIEW = {
  verdict: 'review_needed',
  concerns: [CONCERN],
  reasoning_summary: 'It looks for small gains.',
  conscience_context: { supports: [], considerations: ['asked twice'] },
}
const CLEAR = { ...REVIEW, verdict: 'clear', concerns: [], reasoning_summary: 'All is well.' }
const REFUSAL = { status: 401 }

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer()
})

const judgedBy = (url: string, policy: string) =>
  checkpointWorld({
    ANALYZER: 'llm',
    MODEL_PROVIDER: 'openai',
    MODEL_URL: url,
    MODEL_NAME: 'judge-1',
    ANALYSIS_FAILURE_POLICY: policy,
  })

describe('with ANALYZER=llm', () => {
  let w: World
  beforeAll(async () => {
    w = await judgedBy(server.url, 'fail_open')
  })

  it('the model gives the verdict, and the result names it', async () => {
    const agentId = await w.newAgent()
    server.plan({ reply: REVIEW })
    const { status, body } = await w.post(agentId, { thinking: textOf(1), output: textOf(2) })
    expect(status).toBe(201)
    expect(body.checkpoint).toMatchObject({
      verdict: 'review_needed',
      violation_type: 'VALUE_MISALIGNMENT',
      concerns: [{ ...CONCERN, evidence: 'x'.repeat(200) }],
      reasoning_summary: 'It looks for small gains.',
      analysis_metadata: { analyzer: 'llm', analysis_model: 'judge-1', template_version: 'cp-1' },
      synthetic: false,
      cross_validation_warnings: [],
    })
    const url = `/v1/checkpoints/${body.checkpoint.checkpoint_id}/certificate`
    const certificate = (await w.get(url)).body
    expect(certificate.input_commitments.model_version).toBe('judge-1')
    expect(certificate.claims).toMatchObject({ analyzer: 'llm', analysis_model: 'judge-1' })
    expect((await verifyOffline(w.t, certificate)).valid).toBe(true)
  })

  it("concerns override the model's verdict, and the difference is recorded", async () => {
    const agentId = await w.newAgent()
    server.plan({ reply: { ...REVIEW, verdict: 'clear' } })
    const { body } = await w.post(agentId, { thinking: textOf(3) })
    expect(body.checkpoint.verdict).toBe('review_needed')
    expect(body.checkpoint.cross_validation_warnings).toHaveLength(1)
  })

  it('the window shown to the model is the one that the certificate commits to', async () => {
    const agentId = await w.newAgent()
    server.plan({ reply: REVIEW })
    const first = (await w.post(agentId, { thinking: textOf(4) })).body.checkpoint
    server.plan({ reply: CLEAR })
    const second = (await w.post(agentId, { thinking: textOf(5) })).body.checkpoint
    const { checkpoint_id, verdict, reasoning_summary } = first
    expect(server.questions[0]?.document).toContain('It looks for small gains.')
    const { body } = await w.get(`/v1/checkpoints/${second.checkpoint_id}/certificate`)
    expect(body.input_commitments.context_hash).toBe(
      hashCanonical([{ checkpoint_id, verdict, reasoning_summary }]),
    )
  })

  it('a checkpoint with too little evidence is not sent to the model', async () => {
    const agentId = await w.newAgent()
    server.plan({ reply: REVIEW })
    const { body } = await w.post(agentId, { thinking: 'Short.' })
    expect(body.checkpoint.analysis_metadata.analyzer).toBe('none')
    expect(server.questions).toEqual([])
  })

  it('a checkpoint is not stored if its agent is archived during analysis', async () => {
    const agentId = await w.newAgent()
    const token = await w.t.ownerToken()
    const archive = () => w.t.call('DELETE', `/v1/agents/${agentId}`, { token })
    server.plan({ reply: CLEAR, meanwhile: archive })
    expect(await w.post(agentId, { thinking: textOf(7) })).toMatchObject({
      status: 409,
      body: { error: 'conflict' },
    })
    expect(await w.chainOf(agentId)).toEqual([])
  })

  it('a repeated checkpoint is not analysed again', async () => {
    const agentId = await w.newAgent()
    server.plan({ reply: CLEAR })
    const body = { thinking: textOf(6), checkpoint_id: 'ic-00000000-0000-4000-8000-000000000001' }
    await w.post(agentId, body)
    expect((await w.post(agentId, body)).status).toBe(200)
    expect(server.questions).toHaveLength(1)
  })
})

describe('if the model gives no usable answer', () => {
  async function failing(policy: string) {
    const w = await judgedBy(server.url, policy)
    const agentId = await w.newAgent()
    const url = `/v1/agents/${agentId}/enforcement`
    await w.t.call('PUT', url, { token: w.key, body: { mode: 'enforce' } })
    server.plan(REFUSAL)
    const { status, body } = await w.post(agentId, { thinking: textOf(10, VIOLATION) })
    expect(status).toBe(201)
    return { w, agentId, body }
  }
  const FAILED = {
    synthetic: true,
    synthetic_reason: 'analysis_failed',
    violation_type: null,
    concerns: [],
    window_position: null,
    analysis_metadata: { analyzer: 'none', analysis_model: 'none', thinking_tokens_analyzed: 0 },
  }

  async function expectOutside(w: World, agentId: string): Promise<void> {
    expect(await w.integrity(agentId)).toMatchObject({ total_checks: 1, analyzed_checks: 0 })
    const root = await w.get(`/v1/agents/${agentId}/merkle-root`)
    expect(root.status).toBe(404)
    const events = await w.eventsOf(agentId)
    expect(events.map((event) => event.type)).toEqual(['integrity.checkpoint'])
    expect(events[0]?.data['synthetic']).toBe(true)
  }

  it('fail_open lets the call proceed, unanalysed and excluded from all scores', async () => {
    const { w, agentId, body } = await failing('fail_open')
    expect(body).toMatchObject({
      checkpoint: { ...FAILED, verdict: 'clear' },
      proceed: true,
      recommended_action: 'continue',
      enforcement: { mode: 'enforce', action: 'none', message: null },
      attestation: { position: 0, leaf_index: null },
    })
    await expectOutside(w, agentId)
  })

  it('fail_closed stops the call, excluded from all scores and from drift', async () => {
    const { w, agentId, body } = await failing('fail_closed')
    expect(body).toMatchObject({
      checkpoint: { ...FAILED, verdict: 'boundary_violation' },
      proceed: false,
      recommended_action: 'pause_for_review',
      enforcement: { mode: 'enforce', action: 'block', message: expect.any(String) },
      window_summary: { size: 0, drift_alert_active: false },
      attestation: { position: 0, leaf_index: null },
    })
    await expectOutside(w, agentId)
    for (const n of [11, 12, 13]) await w.post(agentId, { thinking: textOf(n) })
    expect((await w.get(`/v1/agents/${agentId}/drift`)).body.total).toBe(0)
  })

  it('the rules judge instead, and the result says so', async () => {
    const { w, agentId, body } = await failing('rules')
    expect(body.checkpoint).toMatchObject({
      verdict: 'boundary_violation',
      synthetic: false,
      analysis_metadata: { analyzer: 'rules', analysis_model: 'rules-v1' },
      conscience_context: { considerations: ['llm_unavailable'] },
    })
    expect(await w.integrity(agentId)).toMatchObject({ analyzed_checks: 1, violation_count: 1 })
  })
})

/** Runs the work after 200 event loop turns, by which time other pending requests have arrived. */
async function afterTurns(work: () => void): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  work()
}

describe('a batch', () => {
  it('is analysed ten at a time and stored in the given order', async () => {
    const pending: ServerResponse[] = []
    let most = 0
    let left = 20
    const reply = JSON.stringify(CLEAR)
    const answer = JSON.stringify({ choices: [{ message: { role: 'assistant', content: reply } }] })
    const release = () => {
      left -= pending.length
      for (const held of pending.splice(0).reverse()) {
        held.writeHead(200, { 'content-type': 'application/json' }).end(answer)
      }
    }
    // Holds responses until ten requests have arrived, then answers the last one first.
    const slow = createServer((req, res) => {
      req.resume()
      pending.push(res)
      most = Math.max(most, pending.length)
      if (pending.length === Math.min(10, left)) void afterTurns(release)
    })
    slow.listen(0, '127.0.0.1')
    await once(slow, 'listening')
    onTestFinished(() => {
      slow.closeAllConnections()
      slow.close()
    })
    // The cast holds because address() returns a string only for pipes.
    const { port } = slow.address() as AddressInfo
    const w = await judgedBy(`http://127.0.0.1:${port}`, 'fail_closed')
    const agentId = await w.newAgent()
    const given = Array.from({ length: 20 }, (_, n) => ({
      agent_id: agentId,
      checkpoint_id: `ic-00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      thinking: textOf(20 + n),
    }))
    const { body } = await w.batch(given)
    expect(body).toMatchObject({ accepted: 20 })
    const chain = await w.chainOf(agentId)
    expect(chain.map((row) => row.checkpoint_id)).toEqual(given.map((one) => one.checkpoint_id))
    expect(chain.every((row) => row.verdict === 'clear' && row.synthetic_reason === null)).toBe(
      true,
    )
    expect(most).toBe(10)
  })
})
