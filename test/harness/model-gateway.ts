import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect } from 'vitest'
import { type TestApp, type TestAppOptions, testApp } from './app.ts'
import { CARD } from './checkpoints.ts'
import { listen } from './listen.ts'
import { onFileFinished } from './on-file-finished.ts'

/** Forbids `drop_*`, asks people about `refund`, and allows everything else. */
export const GATEWAY_POLICY = {
  meta: { schema_version: '1.1', name: 'Rules', scope: 'agent' },
  capability_mappings: {},
  forbidden: [{ pattern: 'drop_*', reason: 'No tables are dropped', severity: 'critical' }],
  escalation_triggers: [
    { condition: "tool == 'refund'", action: 'escalate', reason: 'People refund' },
  ],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
}

/** The settings with which all providers are this server. */
export const upstreamsAt = (url: string) => ({
  MODEL_GATEWAY_UPSTREAMS: JSON.stringify({
    anthropic: url,
    openai: url,
    gemini: url,
    openai_compatible: [url],
  }),
})

type AgentSettings = { mode?: string; connection?: object; policy?: object }

/** A service that listens, with agents behind connections to a provider. */
export async function startModelGateway(providerUrl: string, options: TestAppOptions = {}) {
  const t: TestApp = await testApp({
    ...options,
    env: { ...upstreamsAt(providerUrl), ...options.env },
  })
  const service = await t.app.server.listen({ host: '127.0.0.1', port: 0 })
  onFileFinished(() => t.app.server.server.closeAllConnections())
  const owner = await t.ownerToken()
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await t.call(method, path, { token: owner, body })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body
  }
  let agents = 0
  return {
    t,
    service,
    owner,
    call,
    /** A new agent under the policy, and the base URL of a connection of it. */
    async newAgent({ mode = 'enforce', connection = {}, policy = {} }: AgentSettings = {}) {
      agents += 1
      const agentId = `agent-${agents}`
      await call('POST', '/v1/agents', { agent_id: agentId, card: CARD })
      await call('PUT', `/v1/agents/${agentId}/policy`, { ...GATEWAY_POLICY, ...policy })
      await call('PUT', `/v1/agents/${agentId}/enforcement`, { mode, nudge_strategy: 'always' })
      const body = { provider: 'anthropic', ...connection }
      const made = await call('POST', `/v1/agents/${agentId}/connections`, body)
      const baseUrl = service + new URL(made.base_url).pathname
      return { agentId, token: String(made.token), baseUrl }
    },
    decisionsOf: async (agentId: string) =>
      (await call('GET', `/v1/decisions?agent_id=${agentId}`)).decisions,
    usageOf: async (agentId: string) =>
      (await call('GET', `/v1/agents/${agentId}/model-usage`)).days[0],
    checkpointsOf: async (agentId: string) =>
      (await call('GET', `/v1/agents/${agentId}/checkpoints`)).checkpoints,
  }
}

/** Sends a request to the Messages API below this address; the answer is not read. */
export const openMessage = (
  baseUrl: string,
  body: object = {},
  { signal, session = 's1' }: { signal?: AbortSignal; session?: string } = {},
): Promise<Response> =>
  fetch(`${baseUrl}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-touchstone-session': session },
    body: JSON.stringify({
      model: 'mock-large',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      ...body,
    }),
    ...(signal === undefined ? {} : { signal }),
  })

export async function sendMessage(...given: Parameters<typeof openMessage>) {
  const answer = await openMessage(...given)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** A provider that answers as the test writes it, byte for byte. */
export async function startRawProvider(
  answer: (res: ServerResponse, req: IncomingMessage) => unknown,
) {
  const server = createServer((req, res) => {
    req.resume()
    req.once('end', () => answer(res, req))
  })
  return `http://127.0.0.1:${await listen(server)}`
}
