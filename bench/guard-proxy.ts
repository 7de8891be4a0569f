import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ADDED_MS_MAX, CALLS, createRecordWaiter, latencies, ROUNDS } from './guard-latency.ts'
import { median, type Row } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PORT = 8941
/** Enough for the guard to send records several times while calls continue without a pause. */
const CALLS_LONG = 1_500
/** Latency falls until the JIT compiler has optimised all three processes. */
const WARM_UP_CALLS = 5_000

const BIN = fileURLToPath(new URL('../../packages/cli/bin/touchstone.mjs', import.meta.url))
const SERVER = fileURLToPath(
  new URL('../../node_modules/.bin/mcp-server-filesystem', import.meta.url),
)

const POLICY = {
  meta: { schema_version: '1.0', name: 'bench', scope: 'agent' },
  capability_mappings: { files: { tools: ['mcp__filesystem__*'], card_actions: ['read'] } },
  forbidden: [{ pattern: 'mcp__shell__*', reason: 'No shell', severity: 'critical' }],
  defaults: { enforcement_mode: 'enforce' },
}

/**
 * Measures the latency that the guard adds to calls of an MCP server from npm. The guard sends its
 * records when calls pause. In the first row each round waits for its records before the next one
 * begins, so that sending them slows down neither side. In the second row calls do not pause, and
 * sending records competes with them.
 */
export async function proxyRows(): Promise<Row[]> {
  const data = createDataFolder()
  const files = mkdtempSync(join(tmpdir(), 'touchstone-guard-'))
  const service = await startService(data.dir, PORT)
  try {
    writeFileSync(join(files, 'note.txt'), 'The depot opens at nine.')
    writeFileSync(join(files, 'policy.json'), JSON.stringify(POLICY))
    const env = {
      PATH: process.env['PATH'] ?? '',
      TOUCHSTONE_URL: `http://127.0.0.1:${PORT}`,
      TOUCHSTONE_API_KEY: credentialsIn(data.dir).api_key,
      TOUCHSTONE_CONFIG: join(files, 'none.json'),
      XDG_CONFIG_HOME: files,
    }
    const policy = join(files, 'policy.json')
    const direct = await connect([SERVER, files], env)
    const guarded = await connect(
      [BIN, 'guard', '--agent', 'bench', '--policy', policy, '--', SERVER, files],
      env,
    )
    const call = { name: 'read_text_file', arguments: { path: join(files, 'note.txt') } }
    const untilRecorded = createRecordWaiter(env, 'bench')
    await latencies(direct, call, WARM_UP_CALLS)
    await untilRecorded(await latencies(guarded, call, WARM_UP_CALLS))
    const added: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const without = median(await latencies(direct, call, CALLS))
      added.push(median(await untilRecorded(await latencies(guarded, call, CALLS))) - without)
    }
    const without = median(await latencies(direct, call, CALLS_LONG))
    const long = median(await untilRecorded(await latencies(guarded, call, CALLS_LONG))) - without
    await Promise.all([direct.close(), guarded.close()])
    const what = 'latency added to an MCP tool call by the proxy, p50'
    const limit = { unit: 'ms', peer: ADDED_MS_MAX, peerName: 'our maximum' }
    return [
      { ...limit, what, ours: median(added) },
      { ...limit, what: `${what}, ${CALLS_LONG} calls without a pause`, ours: long },
    ]
  } finally {
    await service.stop()
    data.remove()
    rmSync(files, { recursive: true, force: true })
  }
}

async function connect(args: string[], env: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }),
  )
  return client
}
