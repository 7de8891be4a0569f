import { verifyBundle } from '@touchstone/protocol/bundle'
import type { PublishedKey } from '@touchstone/protocol/crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { MENTION, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'
import { tamper } from '../../packages/server/src/areas/evidence/attestation/attestation.fixture.ts'

let w: ScoreWorld
let agentId: string
let keys: PublishedKey[]

beforeAll(async () => {
  w = await scoreWorld()
  agentId = await w.newAgent()
  keys = (await w.t.call('GET', '/v1/keys')).body.keys
  await postCheckpoints(60)
  await drift('session-1')
  expect((await w.recompute(agentId)).body.score_after).not.toBeNull()
})

/**
 * Posts checkpoints of many kinds: long and short sessions, violations, repetitions, and some with
 * too little evidence.
 */
async function postCheckpoints(count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    w.t.clock.advance(60_000 + number * number)
    const body = {
      session_id: number % 11 === 10 ? `single-${number}` : `session-${number % 4}`,
      thinking: thinkingOf(number),
      ...(number % 3 === 0 ? { output: textOf(number + 1000) } : {}),
    }
    expect((await w.post(agentId, body)).status).toBe(201)
  }
}

function thinkingOf(number: number): string {
  if (number === 17 || number === 40) return 'Too short to tell.'
  if (number % 8 === 5) return textOf(7)
  if (number % 4 === 2 && number < 16) return textOf(number, VIOLATION)
  return number % 13 === 3 ? textOf(number, MENTION) : textOf(number)
}

/**
 * Posts traces of which the last three are anomalous, so that an alert opens in the session of the
 * last one. The callback runs before that last one.
 */
async function drift(
  sessionId: string,
  strange = ['execute', 'escalation_trigger', 'purchase', 'speed'],
  beforeLast = async () => {},
): Promise<void> {
  const usual = ['recommend', 'bounded', 'search', 'honesty']
  const kinds = [usual, usual, usual, strange, strange, strange]
  for (const [number, [type, category, name, value]] of kinds.entries()) {
    w.t.clock.advance(1000)
    if (number === kinds.length - 1) await beforeLast()
    const body = {
      agent_id: agentId,
      action: { type, category, name },
      decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: [value] },
      context: { session_id: sessionId },
    }
    expect((await w.t.call('POST', '/v1/traces', { token: w.key, body })).status).toBe(201)
  }
}

const fetchBundle = async () => {
  const answer = await w.t.call('GET', `/v1/reputation/${agentId}/bundle`)
  expect(answer).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/x-ndjson' },
  })
  return answer.text
}

type Line = { kind: string; value: Record<string, unknown> }
const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('the bundle of an agent', () => {
  it('reproduces the published score without faults', async () => {
    const { body: score } = await w.score(agentId)
    const verification = await verifyBundle((await fetchBundle()).split('\n'), keys)
    expect(verification).toMatchObject({ faults: [], ok: true, equal: true, agentId })
    expect(verification.recomputed).toMatchObject({ score: score.score, grade: score.grade })
    expect(score.components.map((one: { score: number }) => one.score)).toEqual(
      Object.values(verification.recomputed?.components ?? {}),
    )
  })

  it('contains every kind of evidence in this test', async () => {
    const lines = linesOf(await fetchBundle())
    const checkpoints = lines.filter(({ kind }) => kind === 'checkpoint')
    const text = (part: (value: Line['value']) => unknown) =>
      new Set(checkpoints.map(({ value }) => JSON.stringify(part(value))))
    expect(text(({ excluded_from_score }) => excluded_from_score).size).toBe(2)
    expect(text(({ flags }) => flags)).toContain('["identical_content","low_novelty"]')
    expect(text(({ record }) => (record as { claims: Line['value'] }).claims['verdict']).size).toBe(
      3,
    )
    expect(text(({ leaf_index }) => leaf_index)).toContain('null')
    expect(lines.filter(({ kind }) => kind === 'trace_drift')).toHaveLength(1)
    expect(lines[0]?.value['basis']).toMatchObject({
      sessions: { total: 4, unstable: 2 },
      traces_verified: 3,
    })
  })

  it("never contains the agent's thinking or output", async () => {
    const text = await fetchBundle()
    for (const words of [VIOLATION, MENTION, 'Weather in the region', 'Too short to tell']) {
      expect(text).not.toContain(words)
    }
  })

  it('stays the same while more evidence is stored, until the next score', async () => {
    const before = await fetchBundle()
    await w.post(agentId, { thinking: textOf(500, VIOLATION), session_id: 'session-3' })
    await drift('session-2')
    expect(await fetchBundle()).toBe(before)
    await w.recompute(agentId)
    const after = await fetchBundle()
    expect(after).not.toBe(before)
    const { body: score } = await w.score(agentId)
    const verification = await verifyBundle(after.split('\n'), keys)
    expect(verification).toMatchObject({ ok: true, recomputed: { score: score.score } })
  })

  it('is exact if an alert opens in the same millisecond as the computation', async () => {
    const drifted = async () => {
      const text = await fetchBundle()
      const verification = await verifyBundle(text.split('\n'), keys)
      expect(verification).toMatchObject({ faults: [], ok: true, equal: true })
      return linesOf(text).filter(({ kind }) => kind === 'trace_drift').length
    }
    const before = await drifted()
    // Differs from both the baseline and the earlier anomalies.
    const strange = ['escalate', 'forbidden', 'sell', 'stealth']
    const computedAt = async () => (await w.score(agentId)).body.computed_at
    await drift('session-0', strange, async () => void (await w.recompute(agentId)))
    expect(await computedAt()).toBe(w.t.clock.now().toISOString())
    expect(await drifted()).toBe(before)
    await w.recompute(agentId)
    expect(await computedAt()).toBe(w.t.clock.now().toISOString())
    expect(await drifted()).toBe(before + 1)
  })

  it('fails verification if any of its values is altered', async () => {
    const lines = linesOf(await fetchBundle())
    const last = lines.length - 1
    for (const at of [0, 1, 2, 30, last - 1, last]) {
      for (const path of leavesOf(lines[at])) {
        const verification = await verifyBundle(flipped(lines, at, path), keys)
        expect(verification.ok, `line ${at + 1} ${path.join('/')}`).toBe(false)
        expect(verification.faults.map(({ line }) => line)).toContain(at + 1)
      }
    }
  })

  it('names the checkpoint that was altered by the service itself', async () => {
    await tamper(
      w.t.app.kernel.db,
      sql`update checkpoint set verdict = 'clear' where agent_id = ${agentId} and position = 2`,
    )
    const verification = await verifyBundle((await fetchBundle()).split('\n'), keys)
    expect(verification).toMatchObject({ ok: false, equal: false })
    expect(verification.faults).toContainEqual(
      expect.objectContaining({
        place: 'checkpoint 2',
        message: 'chain/record_hash does not match the record',
      }),
    )
  })
})

function* leavesOf(value: unknown, at: string[] = []): Generator<string[]> {
  if (typeof value !== 'object' || value === null) yield at
  else for (const [key, member] of Object.entries(value)) yield* leavesOf(member, [...at, key])
}

function flipped(lines: readonly Line[], at: number, path: readonly string[]): unknown[] {
  const copy: unknown = structuredClone(lines[at])
  const steps = [...path]
  const member = steps.pop() ?? ''
  const parent = steps.reduce((here, key) => (here as Record<string, unknown>)[key], copy)
  const holder = parent as Record<string, unknown>
  const value = holder[member]
  holder[member] = typeof value === 'number' ? value + 1 : value === null ? 0 : `${value}x`
  return lines.with(at, copy as Line)
}
