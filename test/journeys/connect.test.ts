import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { HOOK_CLIENTS } from '@touchstone/sdk/hooks/clients'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { codingAgent } from '#harness/coding-agent.ts'
import { addCodingAgent, connectAndDisconnect } from '#harness/connect-journey.ts'
import { CLI_BIN } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

let t: TestApp
let url: string

beforeAll(async () => {
  t = await testApp()
  t.clock.set(new Date().toISOString())
  url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
})

const api = async (method: string, path: string, body?: unknown) =>
  (await t.call(method, path, { token: t.first.api_key, body })).body

async function touchstone(
  args: readonly string[],
  home: string,
  input = '',
  others: Record<string, string> = {},
) {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TOUCHSTONE_URL: url,
    TOUCHSTONE_API_KEY: t.first.api_key,
    ...others,
  }
  const child = spawn(process.execPath, [CLI_BIN, ...args], { env, cwd: home })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, output }
}

const newAgent = (agentId: string) => addCodingAgent({ api }, agentId)

describe.each(HOOK_CLIENTS)('%s', (client) => {
  it('is connected, refuses a forbidden call, reports what ran, and is disconnected', async () => {
    await connectAndDisconnect({ touchstone, api }, { client, home: await temporaryDir() })
  })
})

describe('the plugin of OpenCode', () => {
  it('reports a call that failed, and none that it refused itself', async () => {
    const home = await temporaryDir()
    await newAgent('opencode-failing')
    await touchstone(['connect', 'opencode', '--agent', 'opencode-failing', '--yes'], home)
    const agent = codingAgent('opencode', home)
    const session = 'opencode-failing'
    await agent.make({ session, tool: 'Read', arguments: {} }, 'no such file')
    await agent.make({ session, tool: 'Bash', arguments: {} }, 'refused')
    const { decisions } = await api('GET', `/v1/decisions?session_id=${session}`)
    expect(decisions).toMatchObject([
      { tool: 'Bash', outcome: null },
      { tool: 'Read', outcome: { status: 'failed', error: 'no such file' } },
    ])
  })
})

describe('connect', () => {
  /** Connecting is refused with a message, and creates neither an agent, a key nor a file. */
  async function expectUnchanged(home: string, message: string): Promise<void> {
    const before = await readdir(join(home, '.claude'))
    const args = ['connect', 'claude-code', '--agent', 'never-made', '--yes']
    const { code, output } = await touchstone(args, home)
    expect(output).toContain(message)
    expect(output).toContain(settings(home))
    expect(code).toBe(2)
    expect(await readdir(join(home, '.claude'))).toEqual(before)
    const path = '/v1/agents/never-made'
    expect((await t.call('GET', path, { token: t.first.api_key })).status).toBe(404)
  }
  const settings = (home: string) => join(home, '.claude', 'settings.json')

  it('asks first, changes nothing when declined, and shows the change with --dry-run', async () => {
    const home = await temporaryDir()
    const declined = await touchstone(['connect', 'claude-code', '--agent', 'asked'], home, 'n\n')
    expect(declined.code).toBe(1)
    expect(declined.output).toContain('"PreToolUse"')
    const shown = await touchstone(['connect', 'claude-code', '--dry-run'], home)
    expect(shown.code).toBe(0)
    await expect(stat(settings(home))).rejects.toThrow('ENOENT')
    const accepted = await touchstone(['connect', 'claude-code', '--agent', 'asked'], home, 'y\n')
    expect(accepted.code).toBe(0)
    expect((await stat(join(home, '.config/touchstone/connections.json'))).mode & 0o777).toBe(0o600)
  })

  it('needs --yes without a terminal, and says so', async () => {
    const home = await temporaryDir()
    const silent = await touchstone(['connect', 'claude-code', '--agent', 'silent'], home)
    expect(silent.code).toBe(2)
    expect(silent.output).toContain('--yes is needed')
    await expect(stat(settings(home))).rejects.toThrow('ENOENT')
  })

  it('changes nothing the second time, also for an agent without a policy, but a key that was revoked', async () => {
    const home = await temporaryDir()
    const connect = () =>
      touchstone(['connect', 'claude-code', '--agent', 'unruled', '--yes'], home)
    const saved = () => readFile(join(home, '.config/touchstone/connections.json'), 'utf8')
    const decided = async () => (await api('GET', '/v1/decisions?agent_id=unruled')).decisions
    expect((await connect()).output).toContain('unruled has no policy')
    const before = [await saved(), await decided()]
    const again = await connect()
    expect(again.output).toContain('is already connected as agent unruled (enforce)')
    expect([await saved(), await decided()]).toEqual(before)
    const { keys } = (
      await t.call('GET', `/v1/orgs/${t.first.org_id}/api-keys`, {
        token: await t.ownerToken(),
      })
    ).body
    const { key_id } = keys.find((key: { agent_id: string }) => key.agent_id === 'unruled')
    await t.call('DELETE', `/v1/orgs/${t.first.org_id}/api-keys/${key_id}`, {
      token: await t.ownerToken(),
    })
    expect((await connect()).output).toContain('is now connected')
    expect(await saved()).not.toBe(before[0])
  })

  it('says so if the hook is gone from the configuration, or cannot be started', async () => {
    const home = await temporaryDir()
    await newAgent('unhooked')
    await touchstone(['connect', 'claude-code', '--agent', 'unhooked', '--yes'], home)
    const test = () => touchstone(['connect', 'test', 'claude-code'], home)
    const state = async () => (await touchstone(['connect'], home)).output
    expect((await test()).code).toBe(0)
    expect(await state()).toMatch(/unhooked, enforce, user$/m)
    const written = await readFile(settings(home), 'utf8')
    await writeFile(settings(home), written.replaceAll(process.execPath, '/nowhere/node'))
    const moved = await test()
    expect(moved.output).toMatch(/The hook could not be run: .*\/nowhere\/node/)
    expect(moved.code).toBe(1)
    await rm(settings(home))
    await mkdir(settings(home))
    expect((await test()).output).toContain('cannot be read: EISDIR')
    await rm(settings(home), { recursive: true })
    await writeFile(settings(home), '{"theme": "dark"}')
    const gone = await test()
    expect(gone.output).toContain('has no hook for PreToolUse')
    expect(gone.code).toBe(1)
    expect(await state()).toMatch(/unhooked, enforce, user, not governed$/m)
    await touchstone(['connect', 'claude-code', '--yes'], home)
    expect((await test()).code).toBe(0)
  })

  it('says what stays after a disconnect', async () => {
    const home = await temporaryDir()
    await touchstone(['connect', 'claude-code', '--agent', 'leaving', '--yes'], home)
    const { output } = await touchstone(['disconnect', 'claude-code'], home)
    expect(output).toContain('touchstone agents archive leaving')
    expect(output).toMatch(/Its key tsk_\S{1,8}… stays valid/)
    expect(output).toContain(`${url}/settings/api-keys`)
    const nothing = await touchstone(['disconnect', 'claude-code'], home)
    expect(nothing.output.trim()).toMatch(/had no hook\.$/)
  })

  it('keeps what others change afterwards', async () => {
    const home = await temporaryDir()
    await touchstone(['connect', 'claude-code', '--agent', 'edited', '--yes'], home)
    await appendFile(settings(home), '// mine\n')
    const { output } = await touchstone(['disconnect', 'claude-code'], home)
    expect(output).toContain('only the hooks were removed')
    const left = await readFile(settings(home), 'utf8')
    expect(left).toContain('// mine')
    expect(left).not.toContain('touchstone')
  })

  it('prints the settings of the model and of MCP servers, with one connection', async () => {
    const home = await temporaryDir()
    const connect = ['connect', 'codex', '--agent', 'wide', '--yes', '--also']
    const { output, code } = await touchstone([...connect, 'model-gateway,mcp'], home)
    expect(code).toBe(0)
    expect(output).toMatch(/base_url = "http\S+\/llm\/tgw_\w+\/openai\/v1"/)
    const server = JSON.parse(/^ {2}\{$.*?^ {2}\}$/ms.exec(output)?.[0] ?? '')
    expect(server.args.slice(1, 4)).toEqual(['guard', '--agent', 'wide'])
    expect(server.env.TOUCHSTONE_API_KEY).toMatch(/^tsk_/)
    const again = await touchstone([...connect, 'model-gateway'], home)
    expect(again.output).toContain('already has the connection conn-')
    const { connections } = await api('GET', '/v1/agents/wide/connections')
    expect(connections).toMatchObject([{ name: 'connect codex', provider: 'openai' }])
    const wrong = await touchstone(['connect', 'cursor', '--also', 'model-gateway', '--yes'], home)
    expect(wrong.output).toContain('cursor has no setting for the address of its model')
    expect(wrong.code).toBe(2)
    const unknown = await touchstone(['connect', 'codex', '--also', 'all', '--yes'], home)
    expect(unknown.output).toContain('"all" is unknown. Known: model-gateway, mcp.')
  })

  it.each([
    ['no JSON', '{"hooks": ', 'is no valid JSON'],
    ['hooks that are no object', '{"hooks": []}', '"hooks" must be an object'],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'is not valid UTF-8'],
  ])('changes nothing if the file is broken: %s', async (_, text, message) => {
    const home = await temporaryDir()
    await mkdir(join(home, '.claude'))
    await writeFile(settings(home), text)
    await expectUnchanged(home, message)
    expect((await readFile(settings(home))).equals(Buffer.from(text))).toBe(true)
  })

  it('changes nothing if the file is read-only, a symbolic link or a folder', async () => {
    const [readOnly, linked, folder] = [
      await temporaryDir(),
      await temporaryDir(),
      await temporaryDir(),
    ]
    for (const home of [readOnly, linked]) await mkdir(join(home, '.claude'))
    await writeFile(settings(readOnly), '{}', { mode: 0o444 })
    await expectUnchanged(readOnly, 'is read-only')
    await writeFile(join(linked, 'real.json'), '{}')
    await symlink(join(linked, 'real.json'), settings(linked))
    await expectUnchanged(linked, 'is a symbolic link to')
    expect(await readFile(join(linked, 'real.json'), 'utf8')).toBe('{}')
    await mkdir(settings(folder), { recursive: true })
    await expectUnchanged(folder, 'is not a regular file')
  })

  it('changes nothing if its own file is read-only, a symbolic link or broken', async () => {
    const home = await temporaryDir()
    const own = join(home, '.config/touchstone/connections.json')
    const connect = ['connect', 'claude-code', '--agent', 'never-made', '--yes']
    const expectRefused = async (args: readonly string[], message: string) => {
      const { code, output } = await touchstone(args, home)
      expect(output).toContain(message)
      expect(output).toContain(own)
      expect(code).toBe(2)
    }
    await mkdir(dirname(own), { recursive: true })
    const none = '{"version": 1, "connections": {}}'
    await writeFile(join(home, 'real.json'), none)
    await symlink(join(home, 'real.json'), own)
    await expectRefused(connect, 'is a symbolic link to')
    await expectRefused(['disconnect', 'claude-code'], 'is a symbolic link to')
    await rm(own)
    await writeFile(own, none, { mode: 0o444 })
    await expectRefused(connect, 'is read-only')
    await chmod(own, 0o600)
    await writeFile(own, '{"connections": 1}')
    await expectRefused(connect, 'is not a valid connections file')
    await expect(stat(settings(home))).rejects.toThrow('ENOENT')
    const path = '/v1/agents/never-made'
    expect((await t.call('GET', path, { token: t.first.api_key })).status).toBe(404)
  })

  it('changes nothing if the service is away, or the login is not valid', async () => {
    const home = await temporaryDir()
    const args = ['connect', 'claude-code', '--agent', 'nobody', '--yes']
    const away = await touchstone(args, home, '', { TOUCHSTONE_URL: 'http://127.0.0.1:1' })
    expect([away.code, away.output]).toEqual([2, expect.stringContaining('does not answer')])
    const stranger = await touchstone(args, home, '', { TOUCHSTONE_API_KEY: 'tsk_unknown' })
    expect(stranger.code).toBe(2)
    await expect(stat(settings(home))).rejects.toThrow('ENOENT')
  })

  it('gives two connects at once one connection', async () => {
    const home = await temporaryDir()
    const args = ['connect', 'claude-code', '--agent', 'twice', '--yes']
    const both = await Promise.all([touchstone(args, home), touchstone(args, home)])
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    const { hooks } = JSON.parse(await readFile(settings(home), 'utf8'))
    expect(hooks.PreToolUse).toHaveLength(1)
  })

  it('tests a connection whose policy lists what is allowed, or does not enforce', async () => {
    const home = await temporaryDir()
    await newAgent('learned')
    const put = (parts: object) =>
      api('PUT', '/v1/agents/learned/policy', {
        meta: { schema_version: '1.0', name: 'Learned', scope: 'agent' },
        capability_mappings: { tools: { tools: ['Read'], card_actions: ['search'] } },
        ...parts,
      })
    await touchstone(['connect', 'codex', '--agent', 'learned', '--yes'], home)
    const defaults = { unmapped_tool_action: 'block', grace_period_hours: 0 }
    await put({ defaults: { ...defaults, enforcement_mode: 'enforce' } })
    const test = await touchstone(['connect', 'test', 'codex'], home)
    expect(test.output).toContain('A harmless call of Read was passed')
    expect(test.output).toContain('A forbidden call of touchstone_connect_test was refused')
    expect(test.code).toBe(0)
    await put({ defaults: { ...defaults, enforcement_mode: 'warn' } })
    const warned = await touchstone(['connect', 'test', 'codex'], home)
    expect(warned.output).toContain('has the mode warn, so nothing would be refused')
    expect(warned.code).toBe(1)
  })

  it('lists the clients, and tests a connection', async () => {
    const home = await temporaryDir()
    await newAgent('listed')
    const observe = ['connect', 'codex', '--agent', 'listed', '--mode', 'observe', '--yes']
    const refused = await touchstone(observe, home)
    expect(refused.code).toBe(2)
    await expect(stat(join(home, '.codex/hooks.json'))).rejects.toThrow('ENOENT')
    const email = ['--email', t.first.email]
    await touchstone([...observe, ...email], home, `${t.first.password}\n`)
    const { output } = await touchstone(['connect'], home)
    expect(output).toMatch(/^codex +Codex +yes +listed, observe, user$/m)
    expect(output).toMatch(/^windsurf +Windsurf +no +no$/m)
    const test = await touchstone(['connect', 'test', 'codex'], home)
    expect(test.output).toContain('A forbidden call of Bash was passed')
    expect(test.output).toContain('would have stopped')
    expect(test.output).toContain('Not covered:')
    expect(test.code).toBe(0)
  })
})
