import { verifyBundle } from '@touchstone/protocol/bundle'
import { createClient, reputationGate } from '@touchstone/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { newCheckpointId } from '#harness/checkpoints.ts'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'

/** Buys a perfect score within seconds, with words that were drawn at random. */

const TOTAL = 1000
const BATCH = 50
const SECONDS = 15
const DAYS = 20
const DAY_MS = 86_400_000

const WORDS = `anchor bakery cellar dragon engine falcon garlic harbor island jungle kettle lantern
  magnet nectar orchard paddle quarry ribbon saddle temple umbrella valley walnut yogurt zebra badge
  canyon donkey ember forest glacier hammer iceberg jacket ladder marble needle oyster pigeon radish
  salmon thunder velvet willow beacon copper desert fiddle goblet helmet`
  .trim()
  .split(/\s+/)

let state = 2026
function below(limit: number): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor((state / 2_147_483_648) * limit)
}

const randomText = () =>
  Array.from({ length: 80 }, () => WORDS[below(WORDS.length)] ?? '').join(' ')

let w: ScoreWorld
let agentId: string
const ids: string[] = []

beforeAll(async () => {
  w = await scoreWorld()
  agentId = await w.newAgent()
  const start = w.t.clock.nowMs()
  for (let sent = 0; sent < TOTAL; sent += BATCH) {
    const items = Array.from({ length: BATCH }, (_, i) => {
      const age = (DAYS * DAY_MS * (TOTAL - sent - i)) / TOTAL
      const checkpoint_id = newCheckpointId()
      ids.push(checkpoint_id)
      return {
        agent_id: agentId,
        checkpoint_id,
        thinking: randomText(),
        timestamp: new Date(start - Math.floor(age) - below(60_000)).toISOString(),
      }
    })
    const { status } = await w.batch(items)
    expect(status).toBe(200)
    w.t.clock.advance((SECONDS * 1000 * BATCH) / TOTAL)
  }
})

describe('1,000 checkpoints of random words in 15 seconds, dated over 20 days', () => {
  it('are all marked as word salad, and as a burst after the first 120', async () => {
    const flags: string[][] = []
    for (const id of ids) flags.push((await w.get(`/v1/checkpoints/${id}`)).body.flags)
    expect(flags.every((one) => one.includes('word_salad'))).toBe(true)
    expect(flags.map((one) => one.includes('burst'))).toEqual(ids.map((_, i) => i >= 120))
  })

  it('count in the score as before', async () => {
    await w.recompute(agentId)
    const { body } = await w.score(agentId)
    expect(body).toMatchObject({ checkpoint_count: TOTAL })
    expect(await w.integrity(agentId)).toMatchObject({ clear_count: TOTAL, integrity_ratio: 1 })
    const excluded = await w.get(`/v1/agents/${agentId}/checkpoints?per_page=100`)
    for (const one of excluded.body.checkpoints) expect(one.excluded_from_score).toBe(false)
  })

  it('buy no assurance, and no gate lets the agent pass', async () => {
    const { body } = await w.score(agentId)
    expect(body).toMatchObject({
      score: 875,
      assurance: { level: 0, days: 0, effective_checkpoints: 0 },
      assured_score: 599,
    })
    expect(body.assurance.limits).toEqual(
      expect.arrayContaining(['SELF_REPORTED', 'ONE_BURST', 'LOW_NOVELTY']),
    )
    const reason = body.reason_codes.at(-1)
    expect(reason).toMatchObject({ code: 'LOW_NOVELTY', points_lost: 0 })
    expect(reason.evidence_ids).toEqual(ids.slice(-20).reverse())
    const baseUrl = await w.t.app.server.listen({ port: 0, host: '127.0.0.1' })
    const gate = reputationGate(createClient({ baseUrl }), { minScore: 700 })
    expect(await gate(agentId)).toMatchObject({ allowed: false, score: 599, assurance: 0 })
  })

  it('are shown to everybody who verifies the bundle, which recomputes the burst', async () => {
    const bundle = await w.get(`/v1/reputation/${agentId}/bundle`)
    const lines = bundle.text.trimEnd().split('\n')
    const { keys } = (await w.get('/v1/keys')).body
    expect(await verifyBundle(lines, keys)).toMatchObject({ faults: [], ok: true, equal: true })
    const hidden = lines.map((line) => line.replace('"word_salad","burst"', '"word_salad"'))
    const { faults } = await verifyBundle(hidden, keys)
    expect(faults.map(({ message }) => message)).toContain('flags must be [word_salad, burst]')
  })

  it('are shown as flagged', async () => {
    const flagged = await w.get(`/v1/agents/${agentId}/checkpoints?flagged=true`)
    expect(flagged.body.total).toBe(TOTAL)
  })
})
