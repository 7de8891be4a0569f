import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const BIN = fileURLToPath(new URL('../../packages/cli/bin/touchstone.mjs', import.meta.url))
const TOOLS = [
  'assess_risk',
  'assess_team_risk',
  'compare_reputations',
  'evaluate_policy',
  'explain_score',
  'get_decision',
  'list_approvals',
  'list_decisions',
  'lookup_reputation',
  'search_agents',
  'verify_reputation',
]

let w: ScoreWorld
let env: Record<string, string>
let good: string
let fair: string

beforeAll(async () => {
  w = await scoreWorld()
  good = await w.newAgent({ agent_id: 'good-agent' })
  fair = await w.newAgent({ agent_id: 'fair-agent' })
  for (const agent of [good, fair]) {
    await w.sendCheckpoints(agent, 30, (n) => agent === fair && n === 7)
    await w.sendCheckpoints(agent, 30)
  }
  await w.t.settle()
  const url = await w.t.app.server.listen({ port: 0, host: '127.0.0.1' })
  env = {
    PATH: process.env['PATH'] ?? '',
    TOUCHSTONE_URL: url,
    TOUCHSTONE_API_KEY: w.t.first.api_key,
    TOUCHSTONE_CONFIG: join(await temporaryDir(), 'none.json'),
  }
})

async function connect(transport: Transport) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  // From now on the client validates structured content against the output schemas.
  await client.listTools()
  return {
    client,
    call: async (name: string, input: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: input })
      const [first] = result.content as { text?: string }[]
      // biome-ignore lint/suspicious/noExplicitAny: answers are read freely in tests
      const data = result.structuredContent as any
      return { isError: result.isError === true, text: first?.text ?? '', data }
    },
  }
}

const overStdio = () =>
  connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env }))

/** Starts the server on a free port and returns its URL. */
async function startHttp(): Promise<string> {
  const child = spawn(process.execPath, [BIN, 'mcp', '--http', '0'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    const [code] = await once(child, 'close')
    expect(code).toBe(0)
  })
  for await (const line of createInterface({ input: child.stderr })) {
    const [url] = /http:\S+mcp/.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error('the MCP server exited before it listened')
}

describe('touchstone mcp', () => {
  it('answers questions of a model about agents', async () => {
    const { client, call } = await overStdio()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual(TOOLS)
    for (const { name, outputSchema } of tools) {
      expect(outputSchema?.required?.length, name).toBeGreaterThan(0)
    }

    const found = await call('lookup_reputation', { agent_id: good })
    expect(found.text).toMatch(/^good-agent has \d+ of 1000, grade A+/)
    expect(found.text).toMatch(/assurance is level 0, unverified \(SELF_REPORTED, .*\): rely on/)
    expect(found.data).toEqual((await w.score(good)).body)
    expect((await call('explain_score', { agent_id: fair })).text).toMatch(
      /Integrity Ratio, 40 %: \d+.*\n[\s\S]*Points lost:\n- RECENT_VIOLATIONS: [\d.]+ points/,
    )
    const compared = await call('compare_reputations', { agent_ids: [good, fair] })
    expect(compared.text.match(/assurance level 0, unverified/g)).toHaveLength(2)
    expect(compared.data.agents.map((agent: { agent_id: string }) => agent.agent_id)).toEqual([
      good,
      fair,
    ])
    const listed = await call('search_agents', { query: 'good-' })
    expect(listed.data.agents).toMatchObject([{ agent_id: good }])
    expect(await call('verify_reputation', { agent_id: good })).toMatchObject({
      text: expect.stringContaining('is valid: 60 checkpoints, hash chain valid'),
      data: { verified: true },
    })
  })

  it('evaluates tools against a policy, and assesses risk', async () => {
    const { call } = await overStdio()
    await w.t.call('PUT', `/v1/agents/${good}/policy`, {
      token: w.key,
      body: {
        meta: { schema_version: '1.0', name: 'p', scope: 'agent' },
        forbidden: [{ pattern: 'mcp__shell__*', reason: 'No shell', severity: 'critical' }],
      },
    })
    const tools = ['mcp__shell__run']
    expect(
      await call('evaluate_policy', { agent_id: good, tools, context: 'audit' }),
    ).toMatchObject({
      text: expect.stringContaining('mcp__shell__run: No shell (critical, would be blocked)'),
      data: { verdict: 'fail' },
    })
    const risk = await call('assess_risk', { agent_id: good, action_type: 'data_access' })
    expect(risk.text).toContain(`Risk of good-agent: ${risk.data.risk_score}`)
    const team = { agent_ids: [good, fair], action_type: 'task_delegation' }
    expect((await call('assess_team_risk', team)).data.agent_ids).toEqual([good, fair])
  })

  it('lists decisions and approvals, and has no tool that approves', async () => {
    const { client, call } = await overStdio()
    await w.t.call('PUT', `/v1/agents/${fair}/policy`, {
      token: w.key,
      body: {
        meta: { schema_version: '1.0', name: 'p', scope: 'agent' },
        escalation_triggers: [{ condition: "tool == 'pay'", action: 'escalate', reason: 'Ask' }],
        defaults: { enforcement_mode: 'enforce' },
      },
    })
    const decide = async (tool: string) => {
      const body = { agent_id: fair, tool, session_id: 'mcp' }
      return (await w.t.call('POST', '/v1/gateway/decide', { token: w.key, body })).body
    }
    const [searched, paid] = [await decide('search'), await decide('pay')]
    const listed = await call('list_decisions', { session_id: 'mcp' })
    expect(listed.data.decisions).toMatchObject([
      { decision_id: paid.decision_id, decision: 'escalate' },
      { decision_id: searched.decision_id },
    ])
    expect(listed.text).toContain(`escalate pay of fair-agent (${paid.decision_id}): Ask`)
    const page = await call('list_decisions', { agent_id: fair, decision: ['escalate'], limit: 1 })
    expect(page.data.decisions).toHaveLength(1)
    const one = await call('get_decision', { decision_id: paid.decision_id })
    expect(one.text).toContain('Outcome: held for approval.')
    expect(one.data.receipt).toEqual(paid.receipt)
    const waiting = await call('list_approvals', { status: 'pending' })
    expect(waiting.data.escalations).toMatchObject([{ escalation_id: paid.escalation_id }])
    expect(waiting.text).toContain('pending: pay of fair-agent, ')
    const { tools } = await client.listTools()
    expect(tools.filter(({ name }) => /approve|resolve|reject/.test(name))).toEqual([])
  })

  it('returns an error of the service as a tool error', async () => {
    const { call } = await overStdio()
    expect(await call('lookup_reputation', { agent_id: 'nobody-here' })).toMatchObject({
      isError: true,
      text: 'No such agent. (agent_not_found)',
    })
  })

  it('serves the same tools over HTTP, and rejects requests from other origins', async () => {
    const url = await startHttp()
    const { client, call } = await connect(
      // The class declares its optional members without `undefined`.
      new StreamableHTTPClientTransport(new URL(url)) as Transport,
    )
    expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual(TOOLS)
    expect((await call('lookup_reputation', { agent_id: good })).data.agent_id).toBe(good)

    const statusWith = (headers: Record<string, string>) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        body: '{}',
      }).then(({ status }) => status)
    expect(await statusWith({ origin: 'https://evil.example' })).toBe(403)
    expect((await fetch(url)).status).toBe(405)
    expect((await fetch(new URL('/', url))).status).toBe(404)
  })
})
