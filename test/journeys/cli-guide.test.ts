import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startService } from '#harness/process.ts'
import {
  blocksOf,
  type Page,
  readersDesk,
  readersEnvironment,
  readersFolder,
  readPage,
  type,
} from '#harness/reader.ts'

describe('the commands of the guide', () => {
  it('do what the pages on the command line and on MCP say', async () => {
    const desk = await readersDesk({ ALLOW_LOOPBACK_EGRESS: 'true' })
    const decided: Page = { page: 'README.md', blocks: [2], before: { 2: 'npm start' } }
    const asked = (name: string) => `<<< "$(jq -r .${name} .touchstone/credentials.json)"`
    const cli: Page = {
      page: 'docs/guide/cli.md',
      after: decided,
      words: {
        'https://trust.example.com': desk.url,
        '--key\n': `--key ${asked('api_key')}\n`,
        'you@example.com': `owner@localhost ${asked('password')}`,
        'npx touchstone webhooks listen': 'running touchstone webhooks listen',
      },
    }
    const told = await readPage({ page: 'docs/guide/mcp.md', after: cli }, desk)
    expect(told).toContain('60\n')
    expect(told).toMatch(/^passed {2}the minimum is met$/m)
    expect(told).toMatch(/^8 passed, 0 failed$/m)
    expect(told).toMatch(/^valid +yes$/m)
    expect(told).toMatch(/^was +FORBIDDEN_ACTION$/m)
    const card = JSON.parse(await readFile(join(desk.dir, 'agent-card-with-trust.json'), 'utf8'))
    expect(card.capabilities.extensions[0].params).toMatchObject({ provider: 'touchstone' })
    expect(told).toContain('agent file-desk, policies see the tools as mcp__filesystem__*')
  })
})

describe('the README', () => {
  it('protects an existing MCP server in two commands, word for word', async () => {
    const dir = await readersFolder()
    const service = await startService({ DATA_DIR: join(dir, '.touchstone') }, ['--empty'])
    const block = (await blocksOf('README.md')).find((one) => one.includes('touchstone guard'))
    const [login = '', guard = '', ...more] = block?.trim().split('\n') ?? []
    expect(more).toEqual([])
    expect(await type(login, dir)).toMatchObject({ code: 0 })

    const client = new Client({ name: 'reader', version: '1' })
    onTestFinished(() => client.close())
    const env = readersEnvironment(dir)
    const shell = { command: 'bash', args: ['-c', guard], cwd: dir, env }
    await client.connect(new StdioClientTransport({ ...shell, stderr: 'ignore' }))
    const call = (name: string, args: Record<string, string>) =>
      client.callTool({ name, arguments: args })
    const folder = await call('list_directory', { path: '.' })
    expect(folder.isError).not.toBe(true)
    expect(JSON.stringify(folder.content)).toContain('docs')
    const written = await call('write_file', { path: 'new.txt', content: 'x' })
    expect(written.isError).toBe(true)
    expect(JSON.stringify(written.content)).toMatch(/Refused by Touchstone|must approve/)
    await expect(readFile(join(dir, 'new.txt'))).rejects.toThrow('ENOENT')
    await client.close()

    const { api_key: token } = JSON.parse(
      await readFile(join(dir, '.touchstone', 'credentials.json'), 'utf8'),
    )
    const { body } = await service.call('GET', '/v1/agents/file-desk/traces', { token })
    expect(body.traces).toHaveLength(2)
  })
})
