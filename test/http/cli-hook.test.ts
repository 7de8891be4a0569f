import { appendFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { eventually } from '#harness/eventually.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { runHook } from '../../packages/cli/src/hook/run-hook.ts'

const POLICY = {
  meta: { schema_version: '1.0', name: 'Coding', scope: 'agent' },
  capability_mappings: { reading: { tools: ['Read'], card_actions: ['search'] } },
  forbidden: [{ pattern: 'Bash', reason: 'No shell', severity: 'critical' }],
  escalation_triggers: [{ condition: "tool == 'Ask'", action: 'escalate', reason: 'Ask first' }],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow', grace_period_hours: 0 },
}
const WORDS = 'The user wants the failing test fixed, so the sources have to be read first. '

let t: TestApp
let url: string
let count = 0

beforeAll(async () => {
  t = await testApp()
  t.clock.set(new Date().toISOString())
  url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
})

const api = async (method: string, path: string, body?: unknown) =>
  (await t.call(method, path, { token: t.first.api_key, body })).body

type Options = { mode?: 'enforce' | 'observe'; url?: string; timeout_ms?: number }

/** A home folder with a connection of a new agent. */
async function connected(options: Options = {}) {
  count += 1
  const home = await temporaryDir()
  const agentId = `hooked-${count}`
  await api('POST', '/v1/agents', { agent_id: agentId })
  await api('PUT', `/v1/agents/${agentId}/policy`, POLICY)
  const { mode = 'enforce' } = options
  const key = await t.call('POST', '/v1/api-keys', {
    token: await t.ownerToken(),
    body: {
      name: 'hook',
      agent_id: agentId,
      role: 'member',
      scopes: ['decide', 'ingest'],
      client: 'hook',
      mode,
    },
  })
  const connection = {
    url,
    api_key: key.body.key,
    agent_id: agentId,
    mode,
    on_error: mode === 'enforce' ? 'block' : 'allow',
    ...options,
  }
  const folder = join(home, '.config', 'touchstone')
  await mkdir(folder, { recursive: true })
  const content = { version: 1, connections: { 'claude-code': connection } }
  await writeFile(join(folder, 'connections.json'), JSON.stringify(content))
  const run = (stdin: Readable, env: Record<string, string> = {}) =>
    runHook({ client: 'claude-code', stdin, env: { HOME: home, ...env }, cwd: home })
  return {
    agentId,
    key: key.body.key as string,
    keyId: key.body.key_id as string,
    notes: join(folder, 'hooks'),
    home,
    run,
    send: (input: object, env?: Record<string, string>) =>
      run(Readable.from([JSON.stringify(input)]), env),
  }
}

const event = (name: string, fields: object = {}) => ({
  session_id: 's',
  transcript_path: '/none',
  hook_event_name: name,
  ...fields,
})
const call = (tool: string, id: string) => ({
  tool_name: tool,
  tool_input: { file_path: `/w/${id}` },
  tool_use_id: id,
})
const bash = event('PreToolUse', call('Bash', 'b1'))
const DENIED = { exit: 2, stdout: expect.stringContaining('"permissionDecision":"deny"') }

describe('touchstone hook', () => {
  it('refuses, allows and escalates as the service decides', async () => {
    const { send, agentId } = await connected()
    const refused = await send(bash)
    expect(refused).toEqual({ stdout: expect.stringContaining('No shell') })
    expect(await send(event('PreToolUse', call('Read', 'r1')))).toEqual({})
    const asked = await send(event('PreToolUse', call('Ask', 'a1')))
    expect(asked.stdout).toMatch(/"deny".*\/approvals\/esc-/)
    const { decisions } = await api('GET', `/v1/decisions?agent_id=${agentId}`)
    expect(decisions).toHaveLength(3)
    expect(decisions[0]).toMatchObject({ source: 'hook', client: 'claude-code', enforced: true })
  })

  it('never denies with a key of mode observe', async () => {
    const { send } = await connected({ mode: 'observe' })
    expect((await send(bash)).stdout).toContain('would have stopped')
  })

  it('follows the mode that the key has now, not the one that it had', async () => {
    const { send, keyId } = await connected()
    await t.call('PATCH', `/v1/orgs/${t.first.org_id}/api-keys/${keyId}`, {
      token: await t.ownerToken(),
      body: { mode: 'observe' },
    })
    const { stdout, exit } = await send(bash)
    expect(stdout).toContain('would have stopped')
    expect(exit).toBeUndefined()
  })

  it('takes the agent from the environment only together with its key', async () => {
    const [here, there] = [await connected(), await connected()]
    const other = { TOUCHSTONE_AGENT: there.agentId }
    expect(await here.send(event('PreToolUse', call('Read', 'r1')), other)).toEqual({})
    expect((await api('GET', `/v1/decisions?agent_id=${here.agentId}`)).decisions).toHaveLength(1)
    const both = { ...other, TOUCHSTONE_KEY: there.key }
    expect(await here.send(event('PreToolUse', call('Read', 'r2')), both)).toEqual({})
    expect((await api('GET', `/v1/decisions?agent_id=${there.agentId}`)).decisions).toHaveLength(1)
  })

  it('needs only an address and a bound key in the environment, also for evidence', async () => {
    const { agentId, key } = await connected()
    const home = await temporaryDir()
    const env = { HOME: home, TOUCHSTONE_URL: url, TOUCHSTONE_KEY: key }
    const fire = (input: object) => {
      const stdin = Readable.from([JSON.stringify(input)])
      return runHook({ client: 'claude-code', stdin, env, cwd: home })
    }
    expect(await fire(event('PreToolUse', call('Read', 'e1')))).toEqual({})
    expect(await fire(event('PostToolUse', call('Read', 'e1')))).toEqual({})
    expect(await fire(event('SessionEnd'))).toEqual({})
    const { decisions } = await api('GET', `/v1/decisions?agent_id=${agentId}`)
    expect(decisions).toMatchObject([{ tool: 'Read', outcome: { status: 'executed' } }])
    expect((await api('GET', `/v1/agents/${agentId}/traces`)).traces).toHaveLength(1)
  })

  it('sends evidence with the reasoning of the transcript at the end of a turn, once', async () => {
    const { send, agentId, home, notes } = await connected()
    const transcript = join(home, 'session.jsonl')
    const line = (thinking: string) => {
      const content = [{ type: 'thinking', thinking }]
      return `${JSON.stringify({ type: 'assistant', message: { content } })}\n`
    }
    await writeFile(transcript, line(`First thought. ${WORDS.repeat(10)}`))
    const own = { transcript_path: transcript }
    for (const id of ['1', '2']) {
      await send(event('PreToolUse', { ...own, ...call('Read', id) }))
    }
    await send(event('PostToolUse', { ...call('Read', '1'), tool_response: 'x' }))
    await send(event('PostToolUseFailure', { ...call('Read', '2'), error: 'no such file' }))
    await send(event('Stop', own))
    const first = await api('GET', `/v1/agents/${agentId}/checkpoints`)
    expect(first.checkpoints).toHaveLength(1)
    const decided = await api('GET', `/v1/decisions?agent_id=${agentId}`)
    expect(
      decided.decisions.map((one: { outcome: { status: string } }) => one.outcome.status),
    ).toEqual(['failed', 'executed'])
    const { traces } = await api('GET', `/v1/agents/${agentId}/traces`)
    expect(traces).toHaveLength(2)

    await appendFile(transcript, line(`Second thought. ${WORDS.repeat(10)}`))
    await send(event('Stop', own))
    expect((await api('GET', `/v1/agents/${agentId}/checkpoints`)).checkpoints).toHaveLength(1)
    await send(event('PreToolUse', { ...own, ...call('Read', '3') }))
    await send(event('SessionEnd', own))
    expect((await api('GET', `/v1/agents/${agentId}/checkpoints`)).checkpoints).toHaveLength(2)
    expect(await readdir(notes)).toEqual([])
  })

  it('does not mind a transcript that is missing, a folder, or no JSON', async () => {
    const { send, home } = await connected()
    await writeFile(join(home, 'odd.jsonl'), '\0\n[[[\nno json\n')
    for (const path of ['/none', home, join(home, 'odd.jsonl')]) {
      await send(event('PreToolUse', { transcript_path: path, ...call('Read', path) }))
      expect(await send(event('Stop', { transcript_path: path }))).toEqual({})
    }
  })
})

describe('touchstone hook that cannot decide', () => {
  it.each(['', 'no json', '[]', '{"hook_event_name":7}', '{"hook_event_name":"PreToolUse"}'])(
    'stops the call for the input %j',
    async (input) => {
      const { run } = await connected()
      expect(await run(Readable.from([input]))).toMatchObject(DENIED)
    },
  )

  it('stops the call for 50 MB of input, and for arguments of more than 1 MB', async () => {
    const { run, send } = await connected()
    const pieces = function* () {
      for (let piece = 0; piece < 50; piece += 1) yield Buffer.alloc(1024 * 1024, 'x')
    }
    const large = await run(Readable.from(pieces()))
    expect(large).toMatchObject(DENIED)
    expect(large.stderr).toContain('unreadable_arguments')
    const input = { ...call('Read', 'x'), tool_input: { text: 'x'.repeat(1_100_000) } }
    const long = await send(event('PreToolUse', input))
    expect(long).toMatchObject(DENIED)
    expect(long.stderr).toContain('unreadable_arguments')
  })

  it('stops the call for a number that would be rounded, or a key that is there twice', async () => {
    const { run } = await connected()
    const input = JSON.stringify(event('PreToolUse', call('Read', 'x')))
    expect(await run(Readable.from([input]))).not.toMatchObject(DENIED)
    for (const odd of ['{"id":9007199254740993}', '{"path":"/a","path":"/b"}', '{"n":1e400}']) {
      const stopped = await run(
        Readable.from([input.replace(/"tool_input":{[^}]*}/, `"tool_input":${odd}`)]),
      )
      expect(stopped).toMatchObject(DENIED)
      expect(stopped.stderr).toContain('unreadable_arguments')
    }
  })

  it('stops the call if the input never ends', async () => {
    const { run } = await connected({ timeout_ms: 50 })
    const stdin = new Readable({ read: () => undefined })
    expect(await run(stdin)).toMatchObject(DENIED)
    expect(stdin.destroyed).toBe(true)
  })

  it('stops the call if the service is away, silent or broken', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    const broken = createServer((_req, res) => void res.writeHead(500).end('<html>'))
    broken.listen(0, '127.0.0.1')
    onTestFinished(() => {
      for (const server of [silent, broken]) {
        server.closeAllConnections()
        server.close()
      }
    })
    await eventually(() => expect([silent.listening, broken.listening]).toEqual([true, true]))
    const address = (server: typeof silent) =>
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    for (const to of ['http://127.0.0.1:1', 'no url', address(silent), address(broken)]) {
      const { send } = await connected({ url: to, timeout_ms: 300 })
      expect(await send(bash), to).toMatchObject(DENIED)
      const observing = await connected({ mode: 'observe', url: to, timeout_ms: 300 })
      const { stdout, exit } = await observing.send(bash)
      expect(stdout).toContain('did not decide')
      expect(exit).toBeUndefined()
    }
  })

  it('stops the call if the key was revoked, and says so', async () => {
    const { send, keyId } = await connected()
    await t.call('DELETE', `/v1/orgs/${t.first.org_id}/api-keys/${keyId}`, {
      token: await t.ownerToken(),
    })
    const denied = await send(bash)
    expect(denied).toMatchObject(DENIED)
    expect(denied.stderr).toContain('revoked')
  })

  it('stops the call without a connection, or with a broken connections file', async () => {
    const { send, home } = await connected()
    const none = await runHook({
      client: 'codex',
      stdin: Readable.from([JSON.stringify(bash)]),
      env: { HOME: home },
      cwd: home,
    })
    expect(none).toMatchObject({ exit: 2, stderr: expect.stringContaining('not connected') })
    await writeFile(join(home, '.config/touchstone/connections.json'), '{"connections":{"x":1}}')
    expect(await send(bash)).toMatchObject(DENIED)
  })

  it('does not disturb the client after a call or at the end', async () => {
    const { send } = await connected({ url: 'http://127.0.0.1:1' })
    expect(await send(event('PostToolUse', call('Read', '1')))).toEqual({})
    expect(await send(event('Stop'))).toEqual({})
    expect(await send(event('SessionEnd'))).toEqual({})
  })
})
