import { beforeAll, describe, expect, it } from 'vitest'
import { textOf, VIOLATION } from '#harness/checkpoints.ts'
import { eventually } from '#harness/eventually.ts'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { openMessage, sendMessage, startModelGateway } from '#harness/model-gateway.ts'
import { createConnectionLookup } from '../../packages/server/src/areas/gateway/connections/lookup-service.ts'
import { tokenHash } from '../../packages/server/src/kernel/ids.ts'

let provider: PlannedProvider
let gateway: Awaited<ReturnType<typeof startModelGateway>>

beforeAll(async () => {
  provider = await startPlannedProvider()
  gateway = await startModelGateway(provider.url)
})

const MESSAGE = {
  type: 'message',
  model: 'mock-large',
  content: [{ type: 'tool_use', id: 'call_drop', name: 'drop_all', input: {} }],
  stop_reason: 'tool_use',
}
const planBytes = (type: string, bytes: string | Buffer) =>
  provider.plan({ status: 200, headers: { 'content-type': type }, bytes })

describe('a successful answer', () => {
  it.each(['application/x-protobuf', 'text/javascript', 'application/octet-stream'])(
    'of type %s is refused, because calls in it could not be found',
    async (type) => {
      const { baseUrl } = await gateway.newAgent()
      planBytes(type, `f(${JSON.stringify(MESSAGE)})`)
      const answered = await sendMessage(baseUrl)
      expect(answered.status).toBe(502)
      expect(JSON.parse(answered.text).error.message).toContain('cannot be read')
      const observing = await gateway.newAgent({ connection: { mode: 'observe' } })
      expect((await sendMessage(observing.baseUrl)).status).toBe(200)
    },
  )

  it.each([
    ['cut off', JSON.stringify(MESSAGE).slice(0, -5)],
    ['with NaN', JSON.stringify({ ...MESSAGE, x: 0 }).replace('"x":0', '"x":NaN')],
    [
      'nested too deeply',
      `{"x":${'['.repeat(600)}${']'.repeat(600)},${JSON.stringify(MESSAGE).slice(1)}`,
    ],
  ])('that is %s is refused, or released as it came under fail_open', async (_, body) => {
    const { baseUrl } = await gateway.newAgent()
    planBytes('application/json', body)
    const refused = await sendMessage(baseUrl)
    expect(refused.status).toBe(502)
    expect(refused.text).not.toContain('call_drop')
    const open = await gateway.newAgent({ connection: { on_error: 'fail_open' } })
    expect(await sendMessage(open.baseUrl)).toMatchObject({ status: 200, text: body })
    await eventually(async () => {
      expect(await gateway.usageOf(open.agentId)).toMatchObject({ turns: 1, ungoverned: 1 })
    })
  })

  it('of events that calls itself JSON is read as what the client asked for', async () => {
    const { baseUrl } = await gateway.newAgent()
    provider.plan({ parts: [{ tool: 'drop_all', input: {}, id: 'call_drop' }] })
    const direct = await openMessage(provider.url, { stream: true })
    planBytes('application/json', await direct.text())
    const { text } = await sendMessage(baseUrl, { stream: true })
    expect(text).not.toContain('call_drop')
    expect(text).toContain('Touchstone blocked drop_all')
    expect(text).toContain('end_turn')
  })
})

describe('calls with equal ids in a whole chat completion', () => {
  const custom = (input: string) => ({ id: 'x', type: 'custom', custom: { name: 'shell', input } })
  const noArguments = { id: 'x', type: 'function', function: { name: 'search', arguments: '' } }

  /** The message that the agent gets, and the decisions about its calls. */
  async function complete(policy: object, tool_calls: object[]) {
    const { agentId, token } = await gateway.newAgent({
      connection: { provider: 'openai' },
      policy,
    })
    const message = { role: 'assistant', content: null, tool_calls }
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }]
    planBytes('application/json', JSON.stringify({ id: 'c', model: 'mock-large', choices }))
    const answer = await fetch(`${gateway.service}/llm/${token}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'mock-large', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect(answer.status).toBe(200)
    const body = JSON.parse(await answer.text())
    const decided = await gateway.decisionsOf(agentId)
    return {
      message: body.choices[0].message,
      decisions: decided.map((one: { decision: string }) => one.decision).sort(),
    }
  }

  it('are decided one by one, and the forbidden one is replaced', async () => {
    const rule = { condition: "args.input matches 'rm *'", action: 'deny', reason: 'No deletions' }
    const { message, decisions } = await complete({ escalation_triggers: [rule] }, [
      custom('ls '),
      custom('rm -rf /'),
    ])
    expect(decisions).toEqual(['allow', 'block'])
    expect(message.tool_calls).toEqual([custom('ls ')])
    expect(message.content).toContain('Touchstone blocked shell: No deletions')
  })

  it('count one by one for a limit, also without arguments', async () => {
    const limits = [{ name: 'one', tools: ['search'], max: 1, per: 'session', reason: 'Once' }]
    const calls = [noArguments, noArguments, noArguments]
    const { message, decisions } = await complete({ limits }, calls)
    expect(decisions).toEqual(['allow', 'block', 'block'])
    expect(message.tool_calls).toEqual([noArguments])
  })
})

describe('an id that a server repeats in a later turn', () => {
  const call = (tool: string) => ({ parts: [{ tool, input: {}, id: 'call_0' }] })
  const user = (content: unknown) => ({ role: 'user', content })
  const used = {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'call_0', name: 'search', input: {} }],
  }
  const result = user([{ type: 'tool_result', tool_use_id: 'call_0', content: 'Found.' }])
  const decided = async (agentId: string) =>
    (await gateway.decisionsOf(agentId))
      .map(
        ({ tool, outcome }: { tool: string; outcome: { status: string } | null }) =>
          `${tool} ${outcome?.status ?? 'none'}`,
      )
      .sort()

  it('has its own outcome in each turn, and an earlier result is no bypass of a later call', async () => {
    const { agentId, baseUrl } = await gateway.newAgent()
    const messages: object[] = [user('Hi')]
    const ask = (at = baseUrl) => sendMessage(at, { messages })
    provider.plan(call('search'), call('search'), call('drop_all'), { parts: [{ text: 'Fine.' }] })
    await ask()
    for (let turn = 0; turn < 2; turn += 1) {
      messages.push(used, result)
      await ask()
    }
    expect(await decided(agentId)).toEqual(['drop_all none', 'search executed', 'search executed'])
    messages.push(user('And now?'))
    // Another process does not know which results were read before.
    const other = await startModelGateway(provider.url, { databaseUrl: gateway.t.databaseUrl })
    await ask(other.service + new URL(baseUrl).pathname)
    expect(await decided(agentId)).toEqual(['drop_all none', 'search executed', 'search executed'])
  })
})

describe('the result of a refused call', () => {
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'Done.' })

  it.each([
    ['an id that cannot be stored', ['x\0']],
    ['an id with half of a character', ['\ud800']],
    ['many made-up ids', Array.from({ length: 300 }, (_, n) => `call_${n}`)],
  ])('is a bypass although the request also has results with %s', async (_, others) => {
    const { agentId, baseUrl } = await gateway.newAgent()
    provider.plan(
      { parts: [{ tool: 'drop_all', input: {}, id: 'call_drop' }] },
      { parts: [{ text: 'Fine.' }] },
    )
    await sendMessage(baseUrl)
    const content = ['call_drop', ...others].map(result)
    await sendMessage(baseUrl, { messages: [{ role: 'user', content }] })
    const path = `/v1/decisions?agent_id=${agentId}&outcome=bypassed`
    await eventually(async () => {
      expect((await gateway.call('GET', path)).decisions).toMatchObject([{ tool: 'drop_all' }])
    })
  })
})

describe('a nudge', () => {
  it.each([
    ['refuses the request', { status: 529, message: 'Overloaded' }],
    ['closes the connection', { close: true as const }],
  ])('waits for the next request if the provider %s', async (_, failure) => {
    const { agentId, baseUrl } = await gateway.newAgent({ mode: 'nudge' })
    provider.plan({ parts: [{ thinking: textOf(3, VIOLATION) }, { text: 'Yes.' }] })
    await sendMessage(baseUrl)
    await expect.poll(() => gateway.checkpointsOf(agentId)).toHaveLength(1)
    const nudged = () => JSON.stringify(provider.requests[0]?.body['messages'])
    provider.plan(failure)
    await sendMessage(baseUrl)
    expect(nudged()).toContain('Touchstone: ')
    provider.plan({ parts: [{ text: 'Yes.' }] })
    await sendMessage(baseUrl)
    expect(nudged()).toContain('Touchstone: ')
    provider.plan({ parts: [{ text: 'Yes.' }] })
    await sendMessage(baseUrl)
    expect(nudged()).not.toContain('Touchstone: ')
  })
})

describe('a budget', () => {
  const model_limits = [{ name: 'daily', models: ['mock-*'], max_turns: 1, per: 'day' }]

  it.each([
    ['names no model', { model: undefined }],
    ['cannot be read', { junk: JSON.parse(`${'['.repeat(600)}${']'.repeat(600)}`) }],
  ])('applies to a request that %s', async (_, body) => {
    const { baseUrl } = await gateway.newAgent({ policy: { model_limits } })
    provider.plan({ parts: [{ text: 'Hello.' }], model: 'mock-large' })
    expect((await sendMessage(baseUrl, body)).status).toBe(200)
    expect((await sendMessage(baseUrl, body)).status).toBe(403)
  })
})

describe('a model whose name cannot be stored', () => {
  it('is counted by budgets, and its turns are recorded', async () => {
    const model_limits = [{ name: 'daily', models: ['*'], max_turns: 1, per: 'day' }]
    const { agentId, baseUrl } = await gateway.newAgent({ policy: { model_limits } })
    const model = 'any\0model'
    provider.plan({ parts: [{ text: textOf(1) }], model })
    expect((await sendMessage(baseUrl, { model })).status).toBe(200)
    expect((await sendMessage(baseUrl, { model })).status).toBe(403)
    await eventually(async () => {
      expect(await gateway.checkpointsOf(agentId)).toMatchObject([{ model: 'any\ufffdmodel' }])
    })
  })
})

describe('the cache of tokens', () => {
  it('evicts a revoked connection although more are in use than it holds', async () => {
    const { db, clock, notices } = gateway.t.app.kernel
    const onError = (err: unknown) => expect(err).toBeUndefined()
    const lookup = createConnectionLookup({ db, clock, notices, onError, entriesMax: 2 })
    const connections = []
    for (let n = 0; n < 4; n += 1) connections.push(await gateway.newAgent())
    const hashes = connections.map(({ token }) => tokenHash(token))
    const found = []
    for (const hash of hashes) found.push(await lookup.recognise(hash))
    for (const one of found) {
      const path = `/v1/agents/${one?.agentId}/connections/${one?.connectionId}`
      await gateway.call('DELETE', path)
    }
    // The clock of the test stands still, so that no entry expires.
    await eventually(async () => {
      for (const hash of hashes) expect(await lookup.recognise(hash)).toBeUndefined()
    })
  })
})

describe('a path that is no URL', () => {
  it.each(['%zz', '%ff', 'v1/%', 'v1/messages%'])('such as %s tells no token', async (path) => {
    const { token, baseUrl } = await gateway.newAgent()
    for (const at of [`${baseUrl}/${path}`, `${gateway.service}/${path}/llm/${token}/x`]) {
      const answer = await fetch(at, { method: 'POST', body: '{}' })
      const told = (await answer.text()) + JSON.stringify([...answer.headers])
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
      expect(told).not.toContain(token)
    }
  })
})

describe('a result with an id that the client made up', () => {
  it('is that of the newest call of its tool without an outcome', async () => {
    const { agentId, baseUrl } = await gateway.newAgent({ connection: { provider: 'gemini' } })
    const call = { tool: 'search', input: { q: 'a' } }
    provider.plan({ parts: [call] }, { parts: [call] }, { parts: [{ text: 'Done.' }] })
    const contents: object[] = [{ role: 'user', parts: [{ text: 'Hi' }] }]
    for (const response of [undefined, { output: 'found' }, { error: 'gone' }]) {
      const own = { id: `search_${contents.length}`, name: 'search' }
      const asked = { role: 'model', parts: [{ functionCall: { ...own, args: call.input } }] }
      const result = { role: 'user', parts: [{ functionResponse: { ...own, response } }] }
      if (response !== undefined) contents.push(asked, result)
      const answer = await fetch(`${baseUrl}/v1beta/models/mock-large:generateContent`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-touchstone-session': 's1' },
        body: JSON.stringify({ contents }),
      })
      expect(answer.status, await answer.text()).toBe(200)
    }
    await eventually(async () => {
      const outcomes = (await gateway.decisionsOf(agentId)).map(
        (one: { outcome: { status: string } | null }) => one.outcome?.status,
      )
      expect(outcomes).toEqual(['failed', 'executed'])
    })
  })
})
