import { sha256Hex } from '@touchstone/protocol/crypto'
import { parseTlogPolicy } from '@touchstone/protocol/log'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { textOf } from '#harness/checkpoints.ts'
import { eventually } from '#harness/eventually.ts'
import { type LogWitness, startLogWitness } from '#harness/log-witness.ts'
import { startPlannedProvider } from '#harness/mock-provider.ts'
import { sendMessage, startModelGateway } from '#harness/model-gateway.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const AGENT = 'witnessed-agent'
const DAYS = 14
const PER_DAY = 15

let w: Awaited<ReturnType<typeof startModelGateway>>
let witness: LogWitness
let mock: Awaited<ReturnType<typeof startPlannedProvider>>
let baseUrl: string
let sent = 0

const logKey = async () => {
  const policy = parseTlogPolicy((await w.t.call('GET', '/v1/log/policy')).text)
  const [log] = policy.ok ? policy.value.logs : []
  if (log === undefined) throw new Error('the policy names no log')
  return log.key
}

const get = async (path: string) => (await w.t.call('GET', path, { token: w.t.first.api_key })).body
const countStored = async () => (await get(`/v1/agents/${AGENT}/checkpoints?per_page=1`)).total

/** Lets the model think, as often as given, and waits until the service has stored what it read. */
async function think(times: number): Promise<void> {
  const before = sent
  mock.plan(
    ...Array.from({ length: times }, (_, n) => ({ parts: [{ thinking: textOf(before + n) }] })),
  )
  sent += times
  await Promise.all(
    Array.from({ length: times }, (_, n) =>
      sendMessage(baseUrl, {}, { session: `s${before + n}` }),
    ),
  )
  await eventually(async () => expect(await countStored()).toBe(sent))
}

const log = async () => {
  await w.t.app.sequenceLog()
  await w.t.app.askWitnesses()
}

async function assess(): Promise<{ level: number; limits: string[] }> {
  await w.t.call('POST', `/v1/reputation/${AGENT}/recompute`, { token: w.t.first.api_key })
  return (await get(`/v1/reputation/${AGENT}`)).assurance
}

beforeAll(async () => {
  mock = await startPlannedProvider()
  witness = await startLogWitness('watcher', logKey)
  const env = { WITNESSES: JSON.stringify([witness.setting]) }
  w = await startModelGateway(mock.url, { env })
  const agent = await w.call('POST', '/v1/agents', { agent_id: AGENT })
  await w.call('POST', `/v1/agents/${AGENT}/claim`, { hash_proof: sha256Hex(agent.agent_secret) })
  const made = await w.call('POST', `/v1/agents/${AGENT}/connections`, { provider: 'anthropic' })
  baseUrl = w.service + new URL(made.base_url).pathname
  for (let day = 0; day < DAYS; day += 1) {
    await think(PER_DAY)
    w.t.clock.advance(DAY_MS)
  }
})

describe('the highest level of assurance', () => {
  it('needs a log that a witness has confirmed', async () => {
    expect(await assess()).toMatchObject({ level: 3, limits: ['UNWITNESSED'] })
    witness.behave(() => ({ status: 503 }))
    await log()
    expect(await assess()).toMatchObject({ level: 3, limits: ['UNWITNESSED'] })
    witness.behave(undefined)
    await log()
    expect(await assess()).toMatchObject({ level: 4, limits: [], observed_share: 1 })
    const { assured_score, conservative_score } = await get(`/v1/reputation/${AGENT}`)
    expect(assured_score).toBe(conservative_score)
  })

  it('is recomputed from a bundle', async () => {
    const bundle = await w.t.call('GET', `/v1/reputation/${AGENT}/bundle`, {
      token: w.t.first.api_key,
    })
    const header = JSON.parse(bundle.text.split('\n')[0] ?? '')
    expect(header.value.basis.assurance.witnessed).toBe(true)
    expect(header.value.published.assurance.level).toBe(4)
  })

  it('waits an hour for the newest checkpoints', async () => {
    await think(1)
    w.t.clock.advance(HOUR_MS - 10 * MINUTE_MS)
    expect(await assess()).toMatchObject({ level: 4 })
    w.t.clock.advance(11 * MINUTE_MS)
    expect(await assess()).toMatchObject({ level: 3, limits: ['UNWITNESSED'] })
    await log()
    expect(await assess()).toMatchObject({ level: 4 })
  })

  it('needs every checkpoint of the last 30 days in the log, as those from before there was one', async () => {
    const { db } = w.t.app.kernel
    const forget = (position: number) =>
      sql`delete from log_entry where agent_id = ${AGENT}
      and type = 'checkpoint' and (record::json ->> 'position')::int = ${position}`.execute(db)
    await forget(0)
    expect(await assess()).toMatchObject({ level: 3, limits: ['UNWITNESSED'] })
    // The first day is then more than 30 days ago.
    w.t.clock.advance((30 - DAYS) * DAY_MS)
    expect(await assess()).toMatchObject({ level: 4 })
    await forget(100)
    expect(await assess()).toMatchObject({ level: 3, limits: ['UNWITNESSED'] })
  })

  it('is lost while nothing of the last 30 days was confirmed', async () => {
    w.t.clock.advance(31 * DAY_MS)
    expect(await assess()).toMatchObject({ level: 3, limits: ['UNWITNESSED'] })
    await think(1)
    await log()
    expect(await assess()).toMatchObject({ level: 4 })
  })
})
