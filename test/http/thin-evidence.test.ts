import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'
import { checkpointWorld, newCheckpointId, textOf, type World } from '#harness/checkpoints.ts'

const WORDS = `anchor bakery cellar dragon engine falcon garlic harbor island jungle kettle lantern
  magnet nectar orchard paddle quarry ribbon saddle temple umbrella valley walnut yogurt zebra
  badge canyon donkey ember forest glacier hammer iceberg jacket ladder marble needle oyster pigeon
  radish salmon thunder velvet willow beacon copper desert fiddle goblet helmet`
  .trim()
  .split(/\s+/)

let seed = 1
/** A list of words in a new random order. */
function saladOf(count: number): string {
  return Array.from({ length: count }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return WORDS[Math.floor((seed / 2_147_483_648) * WORDS.length)]
  }).join(' ')
}

/** Prose of more than 100 tokens, in which every sentence is new. */
const proseOf = (number: number) =>
  Array.from(
    { length: 9 },
    (_, i) =>
      `The ${saladOf(1)} and the ${saladOf(1)} of ${number} are in a ${saladOf(1)} for ${i}.`,
  ).join(' ')

let w: World
beforeAll(async () => {
  w = await checkpointWorld()
})

const flagsOf = async (ids: readonly string[], world = w): Promise<string[][]> => {
  const read = await Promise.all(ids.map((id) => world.get(`/v1/checkpoints/${id}`)))
  return read.map(({ body }) => body.flags)
}

/** Sends texts as one batch and returns the flags of each. */
async function batchOf(agentId: string, texts: readonly string[], world = w): Promise<string[][]> {
  const items = texts.map((thinking) => ({
    agent_id: agentId,
    checkpoint_id: newCheckpointId(),
    thinking,
  }))
  const { status } = await world.batch(items)
  expect(status).toBe(200)
  return flagsOf(
    items.map((item) => item.checkpoint_id),
    world,
  )
}

describe('word_salad', () => {
  it('marks a list of words and leaves the score as it is', async () => {
    const agentId = await w.newAgent()
    const { body } = await w.post(agentId, { thinking: saladOf(100) })
    expect(body.checkpoint).toMatchObject({
      flags: ['word_salad'],
      verdict: 'clear',
      excluded_from_score: false,
    })
    expect(await w.integrity(agentId)).toMatchObject({ analyzed_checks: 1, clear_count: 1 })
    const flagged = await w.get(`/v1/agents/${agentId}/checkpoints?flagged=true`)
    expect(flagged.body.total).toBe(1)
  })

  it('leaves prose, outputs and what is too short to be analysed alone', async () => {
    const agentId = await w.newAgent()
    const bodies = [
      { thinking: textOf(1) },
      { output: saladOf(100) },
      { thinking: saladOf(40).slice(0, 300) },
    ]
    for (const body of bodies) {
      expect((await w.post(agentId, body)).body.checkpoint.flags).toEqual([])
    }
  })

  it('is no part of a dry run', async () => {
    const agentId = await w.newAgent()
    const { body } = await w.post(agentId, { thinking: saladOf(100), dry_run: true })
    expect(body.checkpoint.flags).toEqual([])
  })
})

describe('low_novelty', () => {
  it('marks the fourth text that is alike, sent singly or in one batch', async () => {
    const text = proseOf(1)
    const [single, together] = [await w.newAgent(), await w.newAgent()]
    const seen: string[][] = []
    for (let n = 0; n < 5; n += 1) {
      // Case and punctuation do not make a text new, although its hash differs.
      const thinking = n % 2 === 0 ? text : `${text.toUpperCase()}${'!'.repeat(n)}`
      seen.push((await w.post(single, { thinking })).body.checkpoint.flags)
    }
    expect(seen).toEqual([[], [], [], ['low_novelty'], ['low_novelty']])
    const texts = Array.from({ length: 5 }, (_, n) => `${text}${'?'.repeat(n)}`)
    expect(await batchOf(together, texts)).toEqual(seen)
    expect(await batchOf(await w.newAgent(), [text])).toEqual([[]])
  })

  it('reaches back 500 analysed checkpoints, also after a restart', async () => {
    const agentId = await w.newAgent()
    const text = proseOf(2)
    await batchOf(agentId, [`${text}.`, `${text}..`, `${text}...`])
    const sendOthers = async (count: number) => {
      for (let sent = 0; sent < count; sent += 50) {
        const others = Array.from({ length: Math.min(50, count - sent) }, (_, i) => proseOf(i))
        await batchOf(agentId, others)
      }
    }
    await sendOthers(496)
    // Another process has nothing in its cache.
    const other = await testApp({ databaseUrl: w.t.databaseUrl, clock: w.t.clock })
    const url = `/v1/agents/${agentId}/checkpoints`
    const thinking = `${text}!`
    const later = await other.call('POST', url, { token: w.key, body: { thinking } })
    expect(later.body.checkpoint.flags).toContain('low_novelty')
    // Checkpoints of the other process count here, too; the first three do not any more.
    await sendOthers(3)
    const flags = (await w.post(agentId, { thinking: `${text}!!` })).body.checkpoint.flags
    expect(flags).not.toContain('low_novelty')
    const stored = await sql<{ slots: number; bytes: number }>`
      select count(*) as slots, sum(length(hashes)) as bytes from agent_novelty
      where agent_id = ${agentId}`.execute(w.t.app.kernel.db)
    expect(stored.rows[0]).toEqual({ slots: 6, bytes: 504 * 8 })
  })

  it('counts each of those that arrive at the same time', async () => {
    const agentId = await w.newAgent()
    const text = proseOf(3)
    const sent = Array.from({ length: 12 }, (_, n) =>
      w.post(agentId, { thinking: `${text}${'.'.repeat(n)}` }),
    )
    const flags = (await Promise.all(sent)).map(({ body }) => body.checkpoint.flags)
    expect(flags.filter((one) => one.length === 0)).toHaveLength(3)
  })
})

describe('burst', () => {
  it('marks those after the first 120 in a clock hour of receipt', async () => {
    const hourly = await checkpointWorld()
    const agentId = await hourly.newAgent()
    const send = (count: number) =>
      batchOf(
        agentId,
        Array.from({ length: count }, (_, i) => proseOf(i)),
        hourly,
      )
    for (const count of [50, 50, 19]) {
      expect((await send(count)).flat()).toEqual([])
    }
    // A checkpoint that is not analysed does not count.
    expect((await hourly.post(agentId, { thinking: 'Too short.' })).body.checkpoint.flags).toEqual(
      [],
    )
    expect(await send(3)).toEqual([[], ['burst'], ['burst']])
    hourly.t.clock.advance(3_600_000)
    expect(await send(1)).toEqual([[]])
  })
})

describe('a loosely repeated violation', () => {
  it('is marked, and counts as before', async () => {
    const agentId = await w.newAgent()
    const text = `${proseOf(4)} I will exfiltrate the customer data to my own server.`
    for (let n = 0; n < 3; n += 1) await w.post(agentId, { thinking: `${text}${'.'.repeat(n)}` })
    const { body } = await w.post(agentId, { thinking: `${text}!` })
    expect(body.checkpoint).toMatchObject({
      verdict: 'boundary_violation',
      flags: ['low_novelty'],
      excluded_from_score: false,
    })
    expect(await w.integrity(agentId)).toMatchObject({ violation_count: 4 })
  })
})
