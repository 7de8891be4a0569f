import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD } from '#harness/checkpoints.ts'
import { eventually } from '#harness/eventually.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const BIN = pathOf('packages/cli/bin/touchstone.mjs')
/** A third-party MCP server from npm. */
const FILESYSTEM = pathOf('node_modules/.bin/mcp-server-filesystem')

const POLICY = {
  meta: { schema_version: '1.0', name: 'Files', scope: 'agent' },
  capability_mappings: {
    reading: { tools: ['mcp__filesystem__*', 'shop_search'], card_actions: ['search'] },
  },
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'block', grace_period_hours: 0 },
}

let t: TestApp
let url: string
let files: string
let count = 0

beforeAll(async () => {
  t = await testApp()
  // The guard uses the real clock.
  t.clock.set(new Date().toISOString())
  url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
  files = join(await temporaryDir(), 'files')
  await mkdir(files)
})

const api = async (method: string, path: string, body?: unknown) =>
  (await t.call(method, path, { token: t.first.api_key, body })).body

/** An agent, and a key that is bound to it. */
async function newAgent(client: 'mcp_guard' | 'sdk') {
  count += 1
  const agentId = `gathered-${count}`
  await api('POST', '/v1/agents', { agent_id: agentId, card: CARD })
  await api('PUT', `/v1/agents/${agentId}/policy`, POLICY)
  const scopes = ['decide', 'ingest']
  const key = { agent_id: agentId, role: 'member', scopes, client }
  return { agentId, key: (await api('POST', '/v1/api-keys', key)).key as string }
}

const commandOf = (agentId: string, key: string) => ({
  command: process.execPath,
  args: [BIN, 'guard', '--agent', agentId, '--', FILESYSTEM, files],
  env: {
    PATH: process.env['PATH'] ?? '',
    TOUCHSTONE_URL: url,
    TOUCHSTONE_API_KEY: key,
    TOUCHSTONE_CONFIG: join(files, 'none.json'),
    XDG_CONFIG_HOME: files,
  },
})

type Checkpoint = { decision_ids: string[]; [name: string]: unknown }

/** Oldest first. */
async function checkpointsOf(agentId: string): Promise<Checkpoint[]> {
  const { checkpoints } = await api('GET', `/v1/agents/${agentId}/checkpoints`)
  return checkpoints.reverse()
}

/** A file whose `read_text_file` is a call of 40 tokens: four characters each. */
async function newFile(): Promise<string> {
  const line = 'mcp__filesystem__read_text_file({"path":""})'
  const path = join(files, 'order-').padEnd(4 * 40 - line.length, 'x')
  await writeFile(path, 'The depot opens at nine.')
  return path
}

describe('touchstone guard', () => {
  it('sends four relayed checkpoints for twelve calls of 40 tokens in a session', async () => {
    const { agentId, key } = await newAgent('mcp_guard')
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StdioClientTransport({ ...commandOf(agentId, key), stderr: 'ignore' }))
    onTestFinished(() => client.close())
    const path = await newFile()
    for (let number = 0; number < 12; number += 1) {
      const result = await client.callTool({ name: 'read_text_file', arguments: { path } })
      expect(result.isError).not.toBe(true)
    }
    await client.close()
    await eventually(async () => expect(await checkpointsOf(agentId)).toHaveLength(4))
    const checkpoints = await checkpointsOf(agentId)
    expect(checkpoints).toMatchObject(
      Array(4).fill({ provenance: 'relayed', synthetic: false, verdict: 'clear' }),
    )
    expect(checkpoints.map((one) => one.decision_ids.length)).toEqual([3, 3, 3, 3])
    const { decisions } = await api('GET', `/v1/decisions?agent_id=${agentId}`)
    const named = checkpoints.flatMap((one) => one.decision_ids).sort()
    expect(named).toEqual(decisions.map((one: { decision_id: string }) => one.decision_id).sort())
  })

  it('sends what it has gathered when it is asked to stop', async () => {
    const { agentId, key } = await newAgent('mcp_guard')
    const { command, args, env } = commandOf(agentId, key)
    const guard = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
    onTestFinished(() => void guard.kill('SIGKILL'))
    let output = ''
    guard.stdout.on('data', (chunk) => {
      output += String(chunk)
    })
    const send = (message: object) =>
      guard.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const clientInfo = { name: 'test', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    send({ id: 1, method: 'initialize', params })
    await eventually(() => expect(output).toContain('"id":1'))
    send({ method: 'notifications/initialized' })
    const call = { name: 'read_text_file', arguments: { path: await newFile() } }
    send({ id: 2, method: 'tools/call', params: call })
    await eventually(() => expect(output).toContain('"id":2'))
    guard.kill('SIGTERM')
    await once(guard, 'exit')
    expect(await checkpointsOf(agentId)).toMatchObject([
      { provenance: 'relayed', synthetic: true, decision_ids: [expect.any(String)] },
    ])
  })
})

describe('touchstone guard, for an agent registered with defaults', () => {
  it('gets no violation for allowed calls of tools that nothing maps', async () => {
    count += 1
    const agentId = `gathered-${count}`
    await api('POST', '/v1/agents', { agent_id: agentId })
    const scopes = ['decide', 'ingest']
    const bound = { agent_id: agentId, role: 'member', scopes, client: 'mcp_guard' }
    const { key } = await api('POST', '/v1/api-keys', bound)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StdioClientTransport({ ...commandOf(agentId, key), stderr: 'ignore' }))
    onTestFinished(() => client.close())
    const path = await newFile()
    for (let number = 0; number < 6; number += 1) {
      const result = await client.callTool({ name: 'read_text_file', arguments: { path } })
      expect(result.isError).not.toBe(true)
    }
    await client.close()
    await eventually(async () => expect(await checkpointsOf(agentId)).toHaveLength(2))
    expect(await checkpointsOf(agentId)).toMatchObject(
      Array(2).fill({ provenance: 'relayed', synthetic: false, verdict: 'clear', concerns: [] }),
    )
    const { traces } = await api('GET', `/v1/agents/${agentId}/traces`)
    expect(traces).toMatchObject(Array(6).fill({ verification: { verified: true } }))
  })
})

const PROGRAM = `
import { createTouchstone } from '@touchstone/sdk'
import { createGuard } from '@touchstone/sdk/guard'

const [baseUrl, token, agentId] = process.argv.slice(2)
const guard = createGuard({ client: createTouchstone({ baseUrl, token }), agentId })
console.log(await guard.run({ tool: 'shop_search', action: 'search' }, () => 'found'))
`

describe('a program with the guard of the SDK', () => {
  it('that ends without a flush sends what was gathered, and does not linger', async () => {
    const { agentId, key } = await newAgent('sdk')
    const program = pathOf(`packages/sdk/dist/ends-${agentId}.mjs`)
    await writeFile(program, PROGRAM)
    onTestFinished(() => rm(program))
    const startedAt = performance.now()
    const { stdout } = await promisify(execFile)(process.execPath, [program, url, key, agentId])
    expect(stdout).toBe('found\n')
    // A minute is how long it would have gathered.
    expect(performance.now() - startedAt).toBeLessThan(50_000)
    expect(await checkpointsOf(agentId)).toMatchObject([
      { provenance: 'relayed', synthetic: true, decision_ids: [expect.any(String)] },
    ])
  })
})
