import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startService } from '#harness/process.ts'
import { blocksOf, readersEnvironment, readersFolder, type } from '#harness/reader.ts'

describe('the commands of the guide', () => {
  it('do what the pages on the command line and on MCP say', async () => {
    const dir = await readersFolder()
    await startService({ DATA_DIR: join(dir, '.touchstone') }, ['--empty'])
    // npx looks for the program on the path, too, but needs a second for it each time.
    const typed = async (page: string) =>
      type((await blocksOf(page)).join('\n').replaceAll('npx ', ''), dir)
    const cli = await typed('docs/guide/cli.md')
    expect(cli).toMatchObject({ code: 0, output: expect.stringContaining('60\n') })
    expect(cli.output).toMatch(/^passed {2}the minimum is met$/m)
    expect(cli.output).toMatch(/^8 passed, 0 failed$/m)
    expect(cli.output).toMatch(/^valid +yes$/m)
    const card = JSON.parse(await readFile(join(dir, 'agent-card-with-trust.json'), 'utf8'))
    expect(card.capabilities.extensions[0].params).toMatchObject({ provider: 'touchstone' })
    const mcp = await typed('docs/guide/mcp.md')
    expect(mcp.output).toContain('agent file-desk, tools are asked about as mcp__filesystem__*')
    expect(mcp.code).toBe(0)
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
