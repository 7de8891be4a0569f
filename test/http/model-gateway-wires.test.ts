import { beforeAll, describe, expect, it } from 'vitest'
import { textOf, VIOLATION } from '#harness/checkpoints.ts'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { startModelGateway } from '#harness/model-gateway.ts'
import { MODEL_WIRES } from '#harness/model-wires.ts'

let provider: PlannedProvider
let gateway: Awaited<ReturnType<typeof startModelGateway>>
/** The same with a short time between keep-alives, which would be in other answers as well. */
let lively: Awaited<ReturnType<typeof startModelGateway>>

beforeAll(async () => {
  provider = await startPlannedProvider()
  const env = { ESCALATION_HOLD_SECONDS: '1' }
  gateway = await startModelGateway(provider.url, { env, modelWaits: { keepAliveMs: 600_000 } })
  const { databaseUrl } = gateway.t
  const modelWaits = { keepAliveMs: 50 }
  lively = await startModelGateway(provider.url, { env, databaseUrl, modelWaits })
})

const search = { tool: 'search', input: { q: 'a' }, id: 'call_search' }
const drop = { tool: 'drop_tables', input: { all: true }, id: 'call_drop' }
const refund = { tool: 'refund', input: { amount: 60 }, id: 'call_refund' }

async function post(url: string, body: object) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-touchstone-session': 's1' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}

describe.each(MODEL_WIRES)('a streamed turn of $name', (wire) => {
  const isArray = wire.name.endsWith('array')

  const newAgent = async (mode = 'enforce') => {
    const connection = { provider: wire.provider }
    const { agentId, baseUrl } = await gateway.newAgent({ mode, connection })
    const ask = (body = wire.body) => post(`${baseUrl}/${wire.path}`, body)
    return { agentId, baseUrl, ask }
  }
  const checkpointOf = async (agentId: string) => {
    await expect.poll(() => gateway.checkpointsOf(agentId)).toHaveLength(1)
    const [{ checkpoint_id }] = await gateway.checkpointsOf(agentId)
    return gateway.call('GET', `/v1/checkpoints/${checkpoint_id}`)
  }

  it('comes back byte for byte if nothing is refused', async () => {
    const { ask } = await newAgent()
    provider.plan({ parts: [{ thinking: textOf(1) }, { text: 'I look.' }, search] })
    const { text } = await ask()
    expect(text).toBe((await post(`${provider.url}/${wire.path}`, wire.body)).text)
    if (isArray) expect(JSON.parse(text).length).toBeGreaterThan(2)
  })

  it('has its refused call replaced, and keeps the others', async () => {
    const { ask, agentId } = await newAgent()
    provider.plan({ parts: [{ text: 'I drop.' }, drop, search] })
    const { text } = await ask()
    expect(text).toContain('Touchstone blocked drop_tables: No tables are dropped')
    expect(text).not.toContain('call_drop')
    expect(text).toContain('call_search')
    if (isArray) expect(JSON.parse(text).length).toBeGreaterThan(2)
    expect(await decisionsOf(agentId)).toMatchObject({
      call_drop: { decision: 'block', outcome: null },
      call_search: { decision: 'allow', source: 'model_gateway' },
    })
  })

  it('has keep-alives while a call waits for an approval', async () => {
    const { baseUrl } = await newAgent()
    provider.plan({ parts: [refund] })
    const at = lively.service + new URL(baseUrl).pathname
    const { text } = await post(`${at}/${wire.path}`, wire.body)
    expect(text.split(wire.keepAlive).length).toBeGreaterThan(3)
    expect(text).toContain('It needs an approval')
    if (isArray) expect(JSON.stringify(JSON.parse(text))).toContain('It needs an approval')
  })

  it('leaves a checkpoint that says how sure it is of the thinking', async () => {
    const { ask, agentId } = await newAgent()
    provider.plan({ parts: [{ thinking: textOf(2) }, { text: 'Fine.' }] })
    await ask()
    const checkpoint = await checkpointOf(agentId)
    expect(checkpoint.provenance).toBe('observed')
    expect(checkpoint.analysis_metadata.extraction_confidence).toBe(wire.confidence)
    expect(checkpoint.analysis_metadata.thinking_withheld).toBeUndefined()
  })

  it('leaves a checkpoint that says that the thinking was withheld', async () => {
    const { ask, agentId } = await newAgent()
    provider.plan({ parts: [{ encryptedThinking: 'c2VjcmV0' }, { text: textOf(3) }] })
    await ask()
    const { analysis_metadata } = await checkpointOf(agentId)
    expect(analysis_metadata).toMatchObject({ thinking_withheld: true, extraction_confidence: 0.3 })
  })

  it('has the outcomes of its calls reported by the results in the next request', async () => {
    const { ask, agentId } = await newAgent()
    const failed = { ...search, id: 'call_failed' }
    provider.plan({ parts: [search, failed, drop] }, { parts: [{ text: 'Fine.' }] })
    await ask()
    const reported = [search, { ...failed, isFailed: true }, drop]
    await ask(wire.withResults(reported))
    await expect
      .poll(() => decisionsOf(agentId))
      .toMatchObject({
        call_search: { outcome: { status: 'executed' } },
        call_failed: { outcome: { status: wire.saysFailed ? 'failed' : 'executed' } },
        call_drop: { decision: 'block', outcome: { status: 'executed', bypassed: true } },
      })
  })

  it('is nudged once, at the end of what the user says', async () => {
    const { ask, agentId } = await newAgent('nudge')
    provider.plan({ parts: [{ thinking: textOf(4, VIOLATION) }, { text: 'Yes.' }] })
    await ask()
    await expect.poll(() => gateway.checkpointsOf(agentId)).toHaveLength(1)
    const next = wire.withResults([search])
    const sent = JSON.stringify(next)
    provider.plan({ parts: [{ text: 'Fine.' }] })
    await ask(next)
    await ask(next)
    const [nudged, plain] = provider.requests.map(({ raw }) => raw.toString())
    expect(plain).toBe(sent)
    expect(nudged).toContain('Touchstone: ')
    // Everything before the nudge is as the client sent it, so the provider's cache still holds.
    const start = nudged?.slice(0, nudged.indexOf('Done.') + 'Done.'.length)
    expect(sent.startsWith(String(start))).toBe(true)
  })
})

/** The decisions about an agent by the id of their call. */
async function decisionsOf(agentId: string) {
  const decisions = await gateway.decisionsOf(agentId)
  return Object.fromEntries(decisions.map((one: { call_id: string }) => [one.call_id, one]))
}
