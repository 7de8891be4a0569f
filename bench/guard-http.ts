import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ADDED_MS_MAX, CALLS, createRecordWaiter, latencies, ROUNDS } from './guard-latency.ts'
import { median, type Row } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PORT = 8943
const WARM_UP_CALLS = 3_000
const AGENT = 'bench-http'
const BIN = fileURLToPath(new URL('../../packages/cli/bin/touchstone.mjs', import.meta.url))

const POLICY = {
  meta: { schema_version: '1.0', name: 'bench', scope: 'agent' },
  capability_mappings: { files: { tools: ['mcp__local-*'], card_actions: ['read'] } },
  forbidden: [{ pattern: 'mcp__shell__*', reason: 'No shell', severity: 'critical' }],
  defaults: { enforcement_mode: 'enforce' },
}

/**
 * Measures the latency that the guard adds to calls of an MCP server over streamable HTTP: the client
 * calls the server, which is a process of its own, directly and through a guard that serves HTTP too.
 */
export async function httpRows(): Promise<Row[]> {
  const data = createDataFolder()
  const files = mkdtempSync(join(tmpdir(), 'touchstone-guard-http-'))
  const service = await startService(data.dir, PORT)
  const children: ChildProcess[] = []
  const start = async (args: string[], env: Record<string, string>) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
    children.push(child)
    return urlPrintedBy(child)
  }
  try {
    const policy = join(files, 'policy.json')
    writeFileSync(policy, JSON.stringify(POLICY))
    const env = {
      PATH: process.env['PATH'] ?? '',
      TOUCHSTONE_URL: `http://127.0.0.1:${PORT}`,
      TOUCHSTONE_API_KEY: credentialsIn(data.dir).api_key,
      TOUCHSTONE_CONFIG: join(files, 'none.json'),
      XDG_CONFIG_HOME: files,
    }
    const server = await start([fileURLToPath(import.meta.url)], env)
    const flags = ['--agent', AGENT, '--policy', policy, '--url', server, '--http', '0']
    const guard = await start([BIN, 'guard', ...flags], env)
    const [direct, guarded] = [await connect(server), await connect(guard)]
    const call = { name: 'read', arguments: { path: 'note.txt' } }
    const untilRecorded = createRecordWaiter(env, AGENT)
    await latencies(direct, call, WARM_UP_CALLS)
    await untilRecorded(await latencies(guarded, call, WARM_UP_CALLS))
    const added: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const without = median(await latencies(direct, call, CALLS))
      added.push(median(await untilRecorded(await latencies(guarded, call, CALLS))) - without)
    }
    await Promise.all([direct.close(), guarded.close()])
    const what = 'latency added to an MCP tool call over HTTP by the proxy, p50'
    return [{ what, unit: 'ms', peer: ADDED_MS_MAX, peerName: 'our maximum', ours: median(added) }]
  } finally {
    for (const child of children) child.kill('SIGTERM')
    await Promise.all(children.map((child) => child.exitCode ?? once(child, 'close')))
    await service.stop()
    data.remove()
    rmSync(files, { recursive: true, force: true })
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport)
  return client
}

async function urlPrintedBy({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('the process has no standard error')
  const lines = createInterface({ input: stderr })
  for await (const line of lines) {
    const [url] = /http:\S+mcp/.exec(line) ?? []
    if (url === undefined) continue
    // A full pipe would stop the process.
    stderr.resume()
    return url
  }
  throw new Error('the process has ended before it listened')
}

/** The server, when this file is started as a process. */
async function serve(): Promise<void> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const http = createServer((req, res) => {
    const known = sessions.get(String(req.headers['mcp-session-id']))
    const transport = known ?? createSession(sessions)
    transport.handleRequest(req, res).catch(() => res.destroy())
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  process.stderr.write(`http://127.0.0.1:${port}/mcp\n`)
}

function createSession(sessions: Map<string, StreamableHTTPServerTransport>) {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  const server = new McpServer({ name: 'bench', version: '1' })
  server.registerTool('read', { description: 'Reads a note.' }, () => ({
    content: [{ type: 'text', text: 'The depot opens at nine.' }],
  }))
  server.connect(transport as Transport).catch(() => undefined)
  return transport
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve()
