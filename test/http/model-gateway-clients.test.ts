import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { MODEL_CLIENTS } from '#harness/model-clients.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'

const POLICY = {
  meta: { schema_version: '1.0', name: 'Rules', scope: 'agent' },
  capability_mappings: {},
  forbidden: [{ pattern: 'drop_*', reason: 'No tables are dropped', severity: 'critical' }],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
}

let t: TestApp
let provider: PlannedProvider
let service: string
let owner: string

beforeAll(async () => {
  provider = await startPlannedProvider()
  const { url } = provider
  t = await testApp({
    env: {
      MODEL_GATEWAY_UPSTREAMS: JSON.stringify({
        anthropic: url,
        openai: url,
        gemini: url,
        openai_compatible: [url],
      }),
    },
  })
  service = await t.app.server.listen({ host: '127.0.0.1', port: 0 })
  onFileFinished(() => t.app.server.server.closeAllConnections())
  owner = await t.ownerToken()
  await t.call('POST', '/v1/agents', { token: owner, body: { agent_id: 'clerk' } })
  await t.call('PUT', '/v1/agents/clerk/policy', { token: owner, body: POLICY })
})

describe.each(MODEL_CLIENTS)('$name', (client) => {
  describe.each([true, false])('with stream %s', (isStreamed) => {
    async function connect() {
      const { provider: name } = client
      const upstream = name === 'openai_compatible' ? { upstream_url: provider.url } : {}
      const made = await t.call('POST', '/v1/agents/clerk/connections', {
        token: owner,
        body: { provider: name, ...upstream },
      })
      return `${service}/llm/${made.body.token}/${name}`
    }

    it('hears the same as without the gateway', async () => {
      const baseUrl = await connect()
      const call = { tool: 'get_weather', input: { city: 'Oslo' }, id: 'call_1' }
      provider.plan({ parts: [{ text: 'I look.' }, call, { ...call, id: 'call_2' }] })
      const direct = await client.ask({ baseUrl: provider.url, isStreamed })
      expect(await client.ask({ baseUrl, isStreamed })).toEqual(direct)
      expect(direct.calls).toHaveLength(2)
    })

    it('hears a text in place of a refused call', async () => {
      const baseUrl = await connect()
      provider.plan({ parts: [{ text: 'Bye.' }, { tool: 'drop_all', input: {}, id: 'call_d' }] })
      const heard = await client.ask({ baseUrl, isStreamed })
      expect(heard.calls).toEqual([])
      expect(heard.text).toContain('Touchstone blocked drop_all: No tables are dropped')
    })
  })
})
