import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { eventually } from '#harness/eventually.ts'
import { freePort } from '#harness/port.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const BIN = pathOf('packages/cli/bin/touchstone.mjs')
/** A third-party MCP server from npm. */
const FILESYSTEM = pathOf('node_modules/.bin/mcp-server-filesystem')

const POLICY = `
meta: {schema_version: "1.0", name: Files, scope: agent}
capability_mappings:
  reading: {tools: [mcp__filesystem__read_*, mcp__filesystem__list_*], card_actions: [read_files]}
  moving: {tools: [mcp__filesystem__move_file], card_actions: [move_files]}
forbidden:
  - {pattern: mcp__filesystem__write_file, reason: Nothing is written, severity: high}
escalation_triggers:
  - {condition: "tool == 'mcp__filesystem__move_file'", action: escalate, reason: People move files}
defaults: {enforcement_mode: enforce, unmapped_tool_action: block, grace_period_hours: 0}
`

let t: TestApp
let url: string
let dir: string
let files: string

beforeAll(async () => {
  t = await testApp()
  // The guard uses the real clock.
  t.clock.set(new Date().toISOString())
  url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
  dir = await temporaryDir()
  files = join(dir, 'files')
  await mkdir(files)
  await writeFile(join(files, 'note.txt'), 'The depot opens at nine.')
  await writeFile(join(dir, 'policy.yaml'), POLICY)
})

type Call = { name: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown> }

const commandOf = (flags: readonly string[], env: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [BIN, 'guard', ...flags, '--', FILESYSTEM, files, '/proc/self'],
  env: {
    PATH: process.env['PATH'] ?? '',
    TOUCHSTONE_URL: url,
    TOUCHSTONE_API_KEY: t.first.api_key,
    TOUCHSTONE_CONFIG: join(dir, 'none.json'),
    XDG_CONFIG_HOME: join(dir, 'config'),
    ...env,
  },
})

async function startGuard(flags: readonly string[], env: Record<string, string> = {}) {
  const transport = new StdioClientTransport({ ...commandOf(flags, env), stderr: 'pipe' })
  let stderr = ''
  transport.stderr?.on('data', (chunk) => {
    stderr += String(chunk)
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return {
    client,
    stderr: () => stderr,
    call: async (call: Call) => {
      const result = await client.callTool(call)
      const [first] = result.content as { text?: string }[]
      return { isError: result.isError === true, text: first?.text ?? '', result }
    },
  }
}

const note = () => join(files, 'note.txt')
const api = async (method: string, path: string, body?: unknown) =>
  (await t.call(method, path, { token: t.first.api_key, body })).body

describe('touchstone guard in front of a server from npm', () => {
  it('forwards allowed calls, refuses forbidden ones, and records both', async () => {
    const { client, call, stderr } = await startGuard([
      '--agent',
      'desk',
      '--policy',
      join(dir, 'policy.yaml'),
    ])
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('write_file')
    expect(client.getServerVersion()?.name).toBe('secure-filesystem-server')

    const thinking = 'The customer wants to know when the depot opens, which the note says.'
    const read = await call({
      name: 'read_text_file',
      arguments: { path: note() },
      _meta: { 'touchstone/thinking': thinking },
    })
    expect(read).toMatchObject({ isError: false, text: 'The depot opens at nine.' })

    const target = join(files, 'new.txt')
    const written = await call({ name: 'write_file', arguments: { path: target, content: 'x' } })
    expect(written).toMatchObject({
      isError: true,
      text: 'Refused by Touchstone: Nothing is written',
    })
    expect(written.result._meta?.['touchstone/decision']).toMatchObject({
      decision: 'block',
      decision_id: expect.stringMatching(/^dec-/),
    })
    await expect(readFile(target)).rejects.toThrow('ENOENT')

    await client.close()
    expect(stderr()).toContain('agent desk, policies see the tools as mcp__filesystem__*')
    expect(stderr()).toMatch(
      /^touchstone guard: policy pol-.+, version 1, is now in force for agent desk$/m,
    )
    const { traces } = await api('GET', '/v1/agents/desk/traces')
    const seen = traces.map((trace: { action: object; tools: unknown; verification: object }) => [
      trace.action,
      trace.tools,
      trace.verification,
    ])
    expect(seen).toEqual(
      expect.arrayContaining([
        [
          expect.objectContaining({ type: 'execute', name: 'read_files' }),
          ['mcp__filesystem__read_text_file'],
          expect.objectContaining({ verified: true }),
        ],
        [expect.objectContaining({ type: 'deny' }), [], expect.anything()],
      ]),
    )
    expect(stderr()).not.toContain('lost')
    const { checkpoints } = await api('GET', '/v1/agents/desk/checkpoints')
    // The refused call completes the checkpoint, which the short call before it is part of.
    expect(checkpoints).toHaveLength(1)
    const { decisions } = await api('GET', '/v1/decisions?agent_id=desk')
    expect(decisions).toMatchObject([
      { decision: 'block', outcome: { status: 'not_executed', duration_ms: null } },
      { decision: 'allow', outcome: { status: 'executed', duration_ms: expect.any(Number) } },
    ])
    expect(traces.map((trace: { trace_id: string }) => trace.trace_id)).toContain(
      checkpoints[0].linked_trace_id,
    )
    expect(JSON.stringify(traces)).not.toContain(files)
  })

  it('lets a call pass once a person has approved it', async () => {
    const { client, call, stderr } = await startGuard([
      '--agent',
      'desk',
      '--policy',
      join(dir, 'policy.yaml'),
    ])
    await writeFile(join(files, 'old.txt'), 'old')
    const move = {
      name: 'move_file',
      arguments: { source: join(files, 'old.txt'), destination: join(files, 'moved.txt') },
    }
    const escalated = await call(move)
    expect(escalated).toMatchObject({
      isError: true,
      text: expect.stringContaining('A person must approve this call first: People move files'),
    })
    const [escalation] = /esc-[0-9a-f-]+/.exec(escalated.text) ?? []
    expect((await call(move)).text).toContain(escalation)
    await t.call('POST', `/v1/escalations/${escalation}/resolve`, {
      token: await t.ownerToken(),
      body: { outcome: 'approve' },
    })
    expect(await call(move)).toMatchObject({ isError: false })
    expect(await readFile(join(files, 'moved.txt'), 'utf8')).toBe('old')
    await client.close()
    expect(stderr()).toContain('version 1, is already in force for agent desk')
  })

  it('calls with a key of the agent, which it creates once and keeps', async () => {
    const kept = join(dir, 'config', 'touchstone', 'connections.json')
    const read = { name: 'read_text_file', arguments: { path: note() } }
    const first = await startGuard(['--agent', 'keeper'])
    expect(await first.call(read)).toMatchObject({ isError: false })
    await first.client.close()
    expect(first.stderr()).toContain('agent keeper was registered')
    expect(first.stderr()).toContain(
      `a key that can only be used for agent keeper was created and kept in ${kept}`,
    )
    expect((await stat(kept)).mode & 0o777).toBe(0o600)
    const second = await startGuard(['--agent', 'keeper'])
    expect(await second.call(read)).toMatchObject({ isError: false })
    await second.client.close()
    expect(second.stderr()).not.toContain('was created')

    const { connections } = JSON.parse(await readFile(kept, 'utf8'))
    const own = Object.values<{ agent_id: string; api_key: string }>(connections).filter(
      ({ agent_id }) => agent_id === 'keeper',
    )
    expect(own).toHaveLength(1)
    const { decisions } = await api('GET', '/v1/decisions?agent_id=keeper')
    expect(decisions).toMatchObject([{ source: 'mcp_guard' }, { source: 'mcp_guard' }])

    // A key of the agent is used as it is, and may not change policies.
    const bound = { TOUCHSTONE_API_KEY: own[0]?.api_key ?? '', XDG_CONFIG_HOME: join(dir, 'other') }
    const third = await startGuard(['--agent', 'keeper'], bound)
    expect(await third.call(read)).toMatchObject({ isError: false })
    await third.client.close()
    expect(third.stderr()).not.toContain('was created')
  })

  it('reports that it replaced the policy in force', async () => {
    const path = join(dir, 'other.yaml')
    await writeFile(path, POLICY.replace('name: Files', 'name: Other files'))
    const { client, call, stderr } = await startGuard(['--agent', 'desk', '--policy', path])
    expect(await call({ name: 'read_text_file', arguments: { path: note() } })).toMatchObject({
      isError: false,
    })
    await client.close()
    expect(stderr()).toMatch(/version 2, is now in force for agent desk, replacing version 1$/m)
  })

  it('refuses every call while the service is unreachable, unless --fail-open is set', async () => {
    const unreachable = `http://127.0.0.1:${await freePort()}`
    const read = { name: 'read_text_file', arguments: { path: note() } }
    const closed = await startGuard([], { TOUCHSTONE_URL: unreachable })
    expect(await closed.call(read)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^Touchstone could not be reached .*so the tool was not called/),
    })
    const open = await startGuard(['--fail-open', '--no-record'], { TOUCHSTONE_URL: unreachable })
    expect(await open.call(read)).toMatchObject({ isError: false })
    expect(open.stderr()).toContain('was allowed because')
  })

  it('refuses calls with an invalid API key, even with --fail-open', async () => {
    const { call } = await startGuard(['--fail-open'], { TOUCHSTONE_API_KEY: 'tsk_wrong' })
    expect(await call({ name: 'read_text_file', arguments: { path: note() } })).toMatchObject({
      isError: true,
    })
  })

  it('does not pass its API key to the server', async () => {
    const { call } = await startGuard(['--agent', 'curious'])
    const { isError, text } = await call({
      name: 'read_text_file',
      arguments: { path: '/proc/self/environ' },
    })
    expect(isError).toBe(false)
    expect(text).toContain('PATH=')
    expect(text).not.toContain('TOUCHSTONE_')
    expect(text).not.toContain(t.first.api_key)
  })

  it('answers an invalid message with an error, and continues', async () => {
    const { command, args, env } = commandOf(['--no-record'])
    const child = spawn(command, args, { env })
    const lines = [
      'nonsense',
      '[]',
      '{"jsonrpc":"2.0","result":{}}',
      '{"jsonrpc":"2.0","id":4,"method":"tools/list","params":"all"}',
      '',
      '{"jsonrpc":"2.0","id":5,"method":"ping"}',
    ]
    onTestFinished(() => void child.kill())
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += String(chunk)
    })
    child.stdin.write(`${lines.join('\n')}\n`)
    const errorOf = (id: number | null, code: number) => ({ id, error: { code } })
    await eventually(() => {
      const answers = output.trim().split('\n')
      expect(answers.map((line) => JSON.parse(line))).toMatchObject([
        errorOf(null, -32_700),
        errorOf(null, -32_600),
        errorOf(null, -32_600),
        errorOf(4, -32_600),
        { id: 5, result: {} },
      ])
    })
    child.stdin.end()
    expect(await once(child, 'close')).toEqual([0, null])
  })
})
