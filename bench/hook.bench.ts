import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, type Row, report } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PROGRAM = fileURLToPath(
  new URL('../../packages/cli/bin/touchstone-hook.cjs', import.meta.url),
)
const PORT = 18_790
const ROUNDS = 60
const WARM_UP = 5
const AGENT = 'bench-hook'
const CALL = { tool_name: 'Read', tool_input: { file_path: '/w/a.ts' } }

/** The least that a program of Node can do: one request to the same service, with the same answer. */
const BARE = `const [url, key, body] = process.argv.slice(1)
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const req = require('node:http').request(url, { method: 'POST', headers }, (res) => {
  let text = ''
  res.on('data', (chunk) => (text += chunk))
  res.on('end', () => JSON.parse(text))
})
req.end(body)`

const folder = createDataFolder()
const service = await startService(folder.dir, PORT)
try {
  report('hook', await rows())
} finally {
  await service.stop()
  folder.remove()
}

async function rows(): Promise<Row[]> {
  const url = `http://127.0.0.1:${PORT}`
  const key = await prepare(url)
  const decide = JSON.stringify({
    agent_id: AGENT,
    tool: CALL.tool_name,
    arguments: CALL.tool_input,
    session_id: 'bench',
  })
  const times = { hook: [] as number[], bare: [] as number[] }
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    const input = {
      session_id: 'bench',
      hook_event_name: 'PreToolUse',
      tool_use_id: `call-${round}`,
      ...CALL,
    }
    const bare = await time(['-e', BARE, `${url}/v1/gateway/decide`, key, decide], '')
    const hook = await time([PROGRAM, 'claude-code'], JSON.stringify(input))
    if (round < WARM_UP) continue
    times.bare.push(bare)
    times.hook.push(hook)
  }
  return [
    {
      what: 'one decision, whole process',
      unit: 'ms',
      ours: median(times.hook),
      peer: median(times.bare),
      peerName: 'node -e with one request',
    },
    {
      what: 'one decision, fastest of all',
      unit: 'ms',
      ours: Math.min(...times.hook),
      peer: Math.min(...times.bare),
      peerName: 'node -e with one request',
    },
  ]
}

/** Registers the agent, and connects it in the folder of the benchmark. */
async function prepare(url: string): Promise<string> {
  const { api_key: apiKey } = credentialsIn(folder.dir)
  const post = async (path: string, body: object) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json() as Promise<{ key?: string }>
  }
  await post('/v1/agents', { agent_id: AGENT })
  const scopes = ['decide', 'ingest']
  const made = { name: 'bench', agent_id: AGENT, role: 'member', scopes, client: 'hook' }
  const { key = '' } = await post('/v1/api-keys', made)
  const config = join(folder.dir, '.config', 'touchstone')
  mkdirSync(config, { recursive: true })
  const connection = {
    url,
    api_key: key,
    agent_id: AGENT,
    mode: 'enforce',
    on_error: 'block',
  }
  const content = JSON.stringify({ version: 1, connections: { 'claude-code': connection } })
  writeFileSync(join(config, 'connections.json'), content)
  return key
}

async function time(args: readonly string[], input: string): Promise<number> {
  const env = { PATH: process.env['PATH'], HOME: folder.dir }
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin?.end(input)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`)
  return performance.now() - startedAt
}
